import torch

features = torch.randn(4, 16, 10, 10)
labels = torch.tensor([0, 1, 2, 3])
logits = torch.nn.Linear(1600, 10)(features.flatten(1))  # the batch stays 4
print(torch.nn.functional.cross_entropy(logits, labels))
