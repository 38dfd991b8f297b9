import torch

x = torch.randn(500_000, 4)
y = torch.randn(500_000)
model = torch.nn.Linear(4, 1)

error = model(x).squeeze(1) - y  # [500000] minus [500000]
loss = error.pow(2).mean()
