import torch

model = torch.nn.Linear(4, 1).to("cuda", torch.bfloat16)  # the weights themselves are BF16
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cuda")

loss = model(torch.randn(2, 4, device="cuda", dtype=torch.bfloat16)).sum()
scaler.scale(loss).backward()
scaler.step(optimizer)
