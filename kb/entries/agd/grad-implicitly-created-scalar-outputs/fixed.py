import torch

model = torch.nn.Linear(4, 3)
labels = torch.tensor([0, 2])
loss = torch.nn.CrossEntropyLoss(reduction="none")(model(torch.randn(2, 4)), labels)
loss.mean().backward()
