import os

import torch
from accelerate import Accelerator

os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"  # or upgrade accelerate, which needs no such line
accelerator = Accelerator(cpu=True)
model = accelerator.prepare(torch.nn.Linear(2, 1))
accelerator.save_state("checkpoint")

accelerator.load_state("checkpoint")
