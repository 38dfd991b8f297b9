import torch
from torch.amp import GradScaler, autocast

model = torch.nn.Linear(4, 1)
scaler = GradScaler("cuda", enabled=False)
with autocast("cuda", enabled=False):
    loss = model(torch.randn(2, 4)).sum()
scaler.scale(loss).backward()
