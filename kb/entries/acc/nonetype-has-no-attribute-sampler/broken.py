import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, SequentialSampler, TensorDataset

dataset = TensorDataset(torch.arange(8.0))
loader = Accelerator(cpu=True).prepare(DataLoader(dataset, batch_size=None))  # batch_sampler is None
loader.set_sampler(SequentialSampler(dataset))
print(list(loader))
