import torch
from torch.utils.data import DataLoader

samples = [{"image": torch.zeros(3), "caption": None}, {"image": torch.ones(3), "caption": None}]
for batch in DataLoader(samples, batch_size=2):
    print(batch)
