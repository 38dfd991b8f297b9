import torch


@torch.compile(backend="eager")
def add_length(x, length):
    return x + length  # an int that changes becomes a dynamic value


for n in range(10):
    add_length(torch.ones(2), len("a" * n))
