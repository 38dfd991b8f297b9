import torch

features = torch.randn(4, 16, 10, 10)
labels = torch.tensor([0, 1, 2, 3])
logits = torch.nn.Linear(400, 10)(features.view(-1, 400))  # (4, 1600) became (16, 400)
print(torch.nn.functional.cross_entropy(logits, labels))
