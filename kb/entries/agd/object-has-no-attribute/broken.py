import torch

model = torch.nn.Linear(4, 1)
loss = model(torch.randn(2, 4)).sum()
model.weight.grad.zero_()  # before the first backward(), grad is None
loss.backward()
