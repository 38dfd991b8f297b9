import torch

layer = torch.nn.Linear(4, 4, device="meta")
x = torch.ones(2, 4, device="meta")

with torch.autocast(x.device.type, dtype=torch.bfloat16):
    print(layer(x).shape)
