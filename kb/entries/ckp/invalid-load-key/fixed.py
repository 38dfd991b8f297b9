import torch

torch.save({"weight": torch.zeros(2)}, "weights.pt")  # the file that the pointer stands for

torch.load("weights.pt", weights_only=False)
