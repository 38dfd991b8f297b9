import torch

model = torch.nn.Conv2d(3, 8, 3).half()  # FP16 weights
images = torch.randn(1, 3, 8, 8)  # FP32, as every DataLoader gives them
loss = model(images).sum()
loss.backward()
