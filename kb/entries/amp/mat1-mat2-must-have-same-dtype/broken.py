import torch

base = torch.nn.Linear(4, 4).half()  # loaded in FP16
head = torch.nn.Linear(4, 2)  # new layer, FP32
hidden = base(torch.randn(1, 4).half())
loss = head(hidden).sum()
loss.backward()
