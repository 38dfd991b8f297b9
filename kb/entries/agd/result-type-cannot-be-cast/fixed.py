import torch

logits = torch.randn(4)
labels = torch.tensor([0, 1, 1, 0])  # int64
loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, labels.float())
print(loss)
