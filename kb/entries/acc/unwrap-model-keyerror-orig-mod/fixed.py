import torch
from accelerate import Accelerator

model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 1))
model[0].compile()  # in place: no wrapper, so nothing to unwrap
print(type(Accelerator(cpu=True).unwrap_model(model)))
