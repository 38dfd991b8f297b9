import torch

embedding = torch.nn.Embedding(10, 4)
ids = torch.Tensor([1, 5, 7])  # torch.Tensor always makes FP32
x = embedding(ids)
