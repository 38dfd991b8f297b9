import torch

scores = torch.rand(4, device="cuda")
print(scores.numpy())
