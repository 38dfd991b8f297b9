import torch

weight = torch.nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([weight], lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1)
scaler = torch.amp.GradScaler("cpu")

scaler.scale(weight.sum() * 1e35).backward()  # times 65536: the gradient is inf
scaler.step(optimizer)  # so this leaves optimizer.step() out
scaler.update()
scheduler.step()
