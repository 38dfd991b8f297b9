import torch
from accelerate import dispatch_model

model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
dispatch_model(model, device_map={"0": "cpu", "layers.1": "cpu"})  # the model calls it "1"
