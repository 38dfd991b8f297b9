import torch

a = torch.randn(4, 2, device="mps")
b = torch.randn(4, 1, device="mps")
x = torch.linalg.lstsq(a.cpu(), b.cpu()).solution.to("mps")  # this operator runs on the CPU
print(x)
