import torch

model = torch.nn.Conv2d(3, 8, 3)  # FP32 weights; autocast casts both sides for the operation
images = torch.randn(1, 3, 8, 8)
with torch.autocast("cpu", dtype=torch.float16):
    loss = model(images).sum()
loss.backward()
