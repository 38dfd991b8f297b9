import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")

for micro_batch in torch.randn(2, 8, 4):
    scaler.scale(model(micro_batch).mean()).backward()
    scaler.unscale_(optimizer)  # the second round meets gradients that are unscaled already
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
scaler.step(optimizer)
scaler.update()
