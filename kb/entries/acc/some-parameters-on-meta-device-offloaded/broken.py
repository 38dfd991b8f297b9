import torch
from accelerate import dispatch_model

model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
device_map = {"0": "cpu", "1": "disk"}
dispatch_model(model, device_map=device_map, offload_dir="offload")
