import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

samples = [torch.randn(5, 3), torch.randn(8, 3)]  # 5 and 8 boxes
for batch in DataLoader(samples, batch_size=2, collate_fn=lambda rows: pad_sequence(rows, batch_first=True)):
    print(batch.shape)
