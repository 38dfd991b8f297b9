import torch

batch = torch.zeros(2, 512)
tokens = torch.ones(513)
batch[0] = tokens  # 513 values into a row of 512
