import torch
from torch.utils.data import DataLoader

model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8))
for batch in DataLoader(torch.randn(5, 4), batch_size=2):
    model(batch)
