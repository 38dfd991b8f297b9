import torch

with torch.device("meta"):
    model = torch.nn.Linear(4, 4)  # shapes only, no values
model.to("cpu")
