import torch
from torch.utils.checkpoint import checkpoint

embedding = torch.nn.Embedding(8, 4).requires_grad_(False)  # frozen, as under LoRA
block = torch.nn.Linear(4, 1)
hidden = embedding(torch.tensor([1, 2]))
loss = checkpoint(block, hidden, use_reentrant=False).sum()
loss.backward()
