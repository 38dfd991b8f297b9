import torch

x = torch.randn(8, 3, 4).permute(0, 2, 1)  # [8, 4, 3], memory order unchanged
y = x.reshape(8, -1)
print(y.shape)
