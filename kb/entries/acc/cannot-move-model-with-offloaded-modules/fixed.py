import torch
from accelerate import dispatch_model

model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
model = dispatch_model(model, device_map={"0": "cpu", "1": "disk"}, offload_dir="offload")
print(model(torch.randn(2, 4)).shape)
