import torch
from accelerate import disk_offload

model = torch.nn.Sequential(torch.nn.Linear(4, 4))
disk_offload(model, offload_dir="offload")
print(model(torch.randn(2, 4)).shape)
