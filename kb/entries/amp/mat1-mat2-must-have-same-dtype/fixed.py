import torch

base = torch.nn.Linear(4, 4)  # loaded in FP32
head = torch.nn.Linear(4, 2)
with torch.autocast("cpu", dtype=torch.float16):
    hidden = base(torch.randn(1, 4))
    loss = head(hidden).sum()
loss.backward()
