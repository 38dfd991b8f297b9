import torch
from accelerate import Accelerator

accelerator = Accelerator(cpu=True)
model = accelerator.prepare(torch.nn.Linear(2, 1))
accelerator.save_state("checkpoint")

accelerator.load_state("checkpoint")
