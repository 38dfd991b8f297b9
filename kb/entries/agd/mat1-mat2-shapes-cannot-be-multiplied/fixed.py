import torch
from torch import nn

model = nn.Sequential(
    nn.Conv2d(3, 8, 3),    # (2, 3, 32, 32) -> (2, 8, 30, 30)
    nn.Flatten(),          # -> (2, 7200)
    nn.Linear(8 * 30 * 30, 10),
)
print(model(torch.randn(2, 3, 32, 32)).shape)
