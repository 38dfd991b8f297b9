import torch

steps = torch.tensor([1, 2, 3], requires_grad=True)  # integers: torch.int64
