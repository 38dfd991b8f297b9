import torch

flat = torch.nn.Parameter(torch.ones(16))
flat.untyped_storage().resize_(0)  # what FSDP does with its flat parameter after forward

weight = flat[:4]
