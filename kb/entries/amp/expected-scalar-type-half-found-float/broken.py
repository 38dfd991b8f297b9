import torch

project = torch.nn.Linear(4, 4)
x = torch.randn(1, 3, 4)
with torch.autocast("cpu", dtype=torch.float16):
    query = project(x)  # autocast returns FP16
scores = torch.bmm(query, x.transpose(1, 2))  # outside: FP16 meets FP32
scores.sum().backward()
