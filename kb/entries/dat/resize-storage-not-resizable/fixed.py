import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

samples = [torch.zeros(8, 3), torch.zeros(5, 3)]  # 8 and 5 boxes
for batch in DataLoader(samples, batch_size=2, num_workers=1, collate_fn=lambda rows: pad_sequence(rows, batch_first=True)):
    print(batch.shape)
