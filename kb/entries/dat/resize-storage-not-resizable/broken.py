import torch
from torch.utils.data import DataLoader

samples = [torch.zeros(8, 3), torch.zeros(5, 3)]  # 8 and 5 boxes
for batch in DataLoader(samples, batch_size=2, num_workers=1):
    print(batch.shape)
