import torch

skip = torch.randn(1, 16, 197, 320)
up = torch.randn(1, 32, 196, 320)  # 197 was halved to 98 and doubled again
up = torch.nn.functional.interpolate(up, size=skip.shape[2:])
x = torch.cat([skip, up], dim=1)
print(x.shape)
