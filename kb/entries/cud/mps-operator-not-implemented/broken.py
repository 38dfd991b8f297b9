import torch

a = torch.randn(4, 2, device="mps")
b = torch.randn(4, 1, device="mps")
x = torch.linalg.lstsq(a, b).solution
print(x)
