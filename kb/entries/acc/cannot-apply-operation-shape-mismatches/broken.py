import os
import torch
from accelerate import Accelerator, debug_launcher

os.environ["ACCELERATE_DEBUG_MODE"] = "1"


def worker():
    accelerator = Accelerator(cpu=True)
    logits = torch.ones(2, 3 + accelerator.process_index)  # another length on every process
    print(accelerator.gather(logits).shape)


if __name__ == "__main__":
    debug_launcher(worker, num_processes=2)
