import torch
from torch._subclasses import FakeTensorMode

with FakeTensorMode(), torch.autocast("xpu"):
    logits = torch.randn(4, device="xpu")
    loss = torch.nn.BCEWithLogitsLoss()(logits, torch.ones_like(logits))
