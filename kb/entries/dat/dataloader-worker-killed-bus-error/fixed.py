import os

import numpy as np
import torch
from torch.utils.data import DataLoader

np.ones(1 << 20, dtype=np.float32).tofile("data.bin")
data = torch.from_numpy(np.memmap("data.bin", dtype=np.float32, mode="r+"))
open("new.bin", "wb").close()
os.replace("new.bin", "data.bin")  # a new file under the old name: the mapping keeps the old one
print(next(iter(DataLoader(data, batch_size=64, num_workers=1))).shape)
