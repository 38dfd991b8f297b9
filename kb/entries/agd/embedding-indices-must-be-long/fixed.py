import torch

embedding = torch.nn.Embedding(10, 4)
ids = torch.tensor([1, 5, 7])  # torch.tensor keeps the integers: int64
x = embedding(ids)
print(x.shape)
