import torch

flat = torch.nn.Parameter(torch.ones(16))
flat.untyped_storage().resize_(0)  # what FSDP does with its flat parameter after forward

flat.untyped_storage().resize_(64)  # what it does before forward: room for 16 values,
flat.data.fill_(1.0)  # which an all-gather fills
weight = flat[:4]
