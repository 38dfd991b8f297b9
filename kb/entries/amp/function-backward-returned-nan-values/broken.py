import torch

x = torch.zeros(3, requires_grad=True)

with torch.autograd.detect_anomaly():
    y = torch.where(x > 0, x.sqrt(), 0.0)  # the forward is fine, sqrt'(0) is inf and 0 * inf is NaN
    y.sum().backward()
