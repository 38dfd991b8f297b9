import torch

logits = torch.tensor([2.3, -0.7])  # raw output of a linear layer
target = torch.tensor([1.0, 0.0])
loss = torch.nn.BCEWithLogitsLoss()(logits, target)
print(loss)
