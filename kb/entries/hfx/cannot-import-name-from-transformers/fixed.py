import torch
from torch.optim import AdamW  # the optimizer that took its place

optimizer = AdamW(torch.nn.Linear(2, 1).parameters(), lr=1e-4)
