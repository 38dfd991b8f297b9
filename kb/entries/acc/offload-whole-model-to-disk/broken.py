import torch
from accelerate import dispatch_model

model = torch.nn.Sequential(torch.nn.Linear(4, 4))
dispatch_model(model, device_map={"": "disk"}, offload_dir="offload")
