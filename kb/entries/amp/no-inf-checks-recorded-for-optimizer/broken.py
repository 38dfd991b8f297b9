import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")

prediction = model(torch.randn(2, 4))
loss = torch.tensor(prediction.mean().item(), requires_grad=True)  # a new leaf: the graph ends here
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
