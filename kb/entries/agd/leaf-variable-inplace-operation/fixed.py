import torch

layer = torch.nn.Linear(4, 2)
with torch.no_grad():
    layer.bias[0] = 1.0
print(layer.bias)
