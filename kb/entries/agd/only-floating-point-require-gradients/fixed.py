import torch

steps = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)  # torch.float32
