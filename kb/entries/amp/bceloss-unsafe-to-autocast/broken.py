import torch
from torch._subclasses import FakeTensorMode

with FakeTensorMode(), torch.autocast("xpu"):  # a GPU in name only: fake tensors need no device
    probability = torch.rand(4, device="xpu")
    loss = torch.nn.BCELoss()(probability, torch.ones_like(probability))
