import torch

x = torch.zeros(3, requires_grad=True)

with torch.autograd.detect_anomaly():
    y = torch.where(x > 0, torch.where(x > 0, x, 1.0).sqrt(), 0.0)  # sqrt never sees the zero
    y.sum().backward()
