import torch

layer = torch.nn.Linear(4, 4)

with torch.autocast("cpu", dtype=torch.float32):
    print(layer(torch.ones(2, 4)).dtype)
