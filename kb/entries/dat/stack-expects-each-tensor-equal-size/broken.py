import torch
from torch.utils.data import DataLoader

samples = [torch.randn(5, 3), torch.randn(8, 3)]  # 5 and 8 boxes
for batch in DataLoader(samples, batch_size=2):
    print(batch.shape)
