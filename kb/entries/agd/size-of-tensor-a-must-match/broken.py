import torch
import torch.nn.functional as F
from torch import nn

down, up = nn.MaxPool2d(2), nn.ConvTranspose2d(1, 1, 2, stride=2)
x = torch.randn(1, 1, 33, 33)
y = up(down(x))  # 33 -> 16 -> 32
print((x + y).shape)
