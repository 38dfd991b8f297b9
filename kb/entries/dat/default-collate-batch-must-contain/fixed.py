import torch
from torch.utils.data import DataLoader

samples = [{"image": torch.zeros(3), "caption": ""}, {"image": torch.ones(3), "caption": ""}]
for batch in DataLoader(samples, batch_size=2):
    print(batch)
