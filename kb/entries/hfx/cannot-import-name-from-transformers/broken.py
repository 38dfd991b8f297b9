import torch
from transformers import AdamW  # gone since transformers 4.50

optimizer = AdamW(torch.nn.Linear(2, 1).parameters(), lr=1e-4)
