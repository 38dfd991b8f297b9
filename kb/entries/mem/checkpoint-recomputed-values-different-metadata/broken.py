import torch
from torch.utils.checkpoint import checkpoint

cache = []

def attention(x):
    cache.append(x.detach())  # the recomputation appends a second time
    return torch.softmax(x @ torch.cat(cache).T, dim=-1)

x = torch.randn(4, 8, requires_grad=True)
checkpoint(attention, x, use_reentrant=False).sum().backward()
