import torch

torch.save({"weight": torch.zeros(500_000)}, "/dev/full")  # a disk without a free byte
