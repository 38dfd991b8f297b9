import torch

x = torch.randn(3, requires_grad=True)
y = torch.sigmoid(x)
y = y + 1  # a new tensor; the saved one is left alone
y.sum().backward()
