import torch

model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cuda")

with torch.autocast("cuda", dtype=torch.float16):
    loss = model(torch.full((2, 4), 10.0, device="cuda")).sum()
scaler.scale(loss).backward()
scaler.step(optimizer)  # skips the overflowing step without a word
scaler.update()
