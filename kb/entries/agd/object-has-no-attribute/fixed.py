import torch

model = torch.nn.Linear(4, 1)
loss = model(torch.randn(2, 4)).sum()
model.zero_grad()  # skips parameters without a gradient
loss.backward()
