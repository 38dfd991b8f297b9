import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")

loss = model(torch.randn(2, 4)).sum()
loss.backward()  # the loss never went through the scaler
scaler.unscale_(optimizer)
scaler.step(optimizer)
