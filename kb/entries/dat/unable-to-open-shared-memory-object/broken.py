import resource

import torch
from torch.utils.data import DataLoader

resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))  # usually 1024
samples = [[torch.zeros(3) for _ in range(200)]]  # 200 tensors, a descriptor each
print(len(next(iter(DataLoader(samples, num_workers=1)))))
