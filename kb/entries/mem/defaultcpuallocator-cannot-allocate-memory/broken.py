import torch

x = torch.randn(500_000, 4)
y = torch.randn(500_000)
model = torch.nn.Linear(4, 1)

error = model(x) - y  # [500000, 1] minus [500000] broadcasts to [500000, 500000]: 1 TB
loss = error.pow(2).mean()
