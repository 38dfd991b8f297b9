import torch

batch = torch.zeros(2, 512)
tokens = torch.ones(513)
length = min(len(tokens), batch.size(1))
batch[0, :length] = tokens[:length]
