import torch

q = torch.randn(2, 4, 8)
future = torch.ones(4, 4, dtype=torch.bool).triu(1)

with torch.autocast("cpu", dtype=torch.float16):
    scores = q @ q.transpose(1, 2)  # autocast makes this FP16
    weights = scores.masked_fill(future, -1e9).softmax(-1)
