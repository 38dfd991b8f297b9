import torch
from torch.cuda.amp import GradScaler, autocast

model = torch.nn.Linear(4, 1)
scaler = GradScaler(enabled=False)
with autocast(enabled=False):
    loss = model(torch.randn(2, 4)).sum()
scaler.scale(loss).backward()
