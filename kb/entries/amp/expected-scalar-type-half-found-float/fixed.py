import torch

project = torch.nn.Linear(4, 4)
x = torch.randn(1, 3, 4)
with torch.autocast("cpu", dtype=torch.float16):
    query = project(x)
    scores = torch.bmm(query, x.transpose(1, 2))  # inside: both are cast
scores.sum().backward()
