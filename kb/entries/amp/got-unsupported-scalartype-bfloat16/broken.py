import torch

logits = torch.randn(3, dtype=torch.bfloat16)
print(logits.numpy())
