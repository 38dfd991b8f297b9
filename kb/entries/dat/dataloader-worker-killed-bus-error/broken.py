import numpy as np
import torch
from torch.utils.data import DataLoader

np.ones(1 << 20, dtype=np.float32).tofile("data.bin")
data = torch.from_numpy(np.memmap("data.bin", dtype=np.float32, mode="r+"))
open("data.bin", "wb").close()  # shrinks the mapped file: no memory stands behind the pages any more
print(next(iter(DataLoader(data, batch_size=64, num_workers=1))).shape)
