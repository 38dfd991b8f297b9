import torch


@torch.compile(backend="eager", fullgraph=True)
def double_if_positive(x):
    if x.sum() > 0:
        return x * 2
    return x


print(double_if_positive(torch.ones(3)))
