import resource

import torch
from torch.utils.data import DataLoader

resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))  # usually 1024
samples = [torch.stack([torch.zeros(3) for _ in range(200)])]  # one tensor, one descriptor
print(len(next(iter(DataLoader(samples, num_workers=1)))))
