import os
from torch.utils.data import DataLoader

loader = DataLoader(range(8), num_workers=os.cpu_count() + 1)
