import torch

features = torch.randn(6, 16, 2, 2)  # the input image was smaller than the model expects
x = features.view(-1, 16 * 5 * 5)
