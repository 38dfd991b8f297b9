import torch

model = torch.nn.Conv2d(3, 8, 3).cuda().half()
x = torch.randn(1, 3, 8, 8, device="cuda", dtype=torch.float16, requires_grad=True)
loss = model(x).sum()
loss.backward()
model.float()  # after backward
