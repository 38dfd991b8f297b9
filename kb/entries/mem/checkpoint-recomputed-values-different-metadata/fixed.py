import torch
from torch.utils.checkpoint import checkpoint


def attention(x):
    keys = x.detach()  # nothing outlives the call
    return torch.softmax(x @ keys.T, dim=-1)

x = torch.randn(4, 8, requires_grad=True)
checkpoint(attention, x, use_reentrant=False).sum().backward()
