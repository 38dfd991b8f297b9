import torch

model = torch.nn.Linear(4, 1)
labels = torch.randint(0, 2, (16,)).float()      # shape (16,)
output = model(torch.randn(16, 4)).squeeze(1)    # shape (16,)
print(torch.nn.BCEWithLogitsLoss()(output, labels))
