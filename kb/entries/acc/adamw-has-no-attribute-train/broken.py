import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
model.train()
optimizer.train()  # only schedule-free optimizers have this method
