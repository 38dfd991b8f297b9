import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")

prediction = model(torch.randn(2, 4))
loss = prediction.mean()  # still connected to the weights
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
