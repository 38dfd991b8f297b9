import torch

logits = torch.randn(3, 10)  # 10 classes: 0 to 9
labels = torch.tensor([1, 5, 10])  # counted from 1
loss = torch.nn.functional.cross_entropy(logits, labels)
