import torch
from accelerate import Accelerator

model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 1))
model[0] = torch.compile(model[0])  # compiled below, not at the top
print(type(Accelerator(cpu=True).unwrap_model(model)))
