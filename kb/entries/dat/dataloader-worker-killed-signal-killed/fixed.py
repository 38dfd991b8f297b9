import os, resource, signal
import torch
from torch.utils.data import DataLoader

class Images(list):
    def __getitem__(self, index):
        image = torch.ones(1 << 24)  # freed when the sample is done
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 1 << 20:  # KB: a limit of 1 GB
            os.kill(os.getpid(), signal.SIGKILL)  # what the OOM killer does at the limit
        return index
print(len(list(DataLoader(Images(range(32)), batch_size=32, num_workers=1))))
