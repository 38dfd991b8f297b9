import torch

logits = torch.randn(8, 10)
labels = torch.zeros(8, 1, dtype=torch.long)  # one column too many
loss = torch.nn.functional.cross_entropy(logits, labels.squeeze(1))
print(loss)
