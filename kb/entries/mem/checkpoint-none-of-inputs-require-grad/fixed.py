import torch
from torch.utils.checkpoint import checkpoint

block = torch.nn.Linear(8, 8)
head = torch.nn.Linear(8, 1)
x = torch.randn(2, 8)  # like the output of a frozen embedding: requires_grad is False

loss = head(checkpoint(block, x, use_reentrant=False)).sum()
loss.backward()
print("block was trained:", block.weight.grad is not None)
