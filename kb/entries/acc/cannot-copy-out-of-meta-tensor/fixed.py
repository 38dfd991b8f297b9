import torch

weights = torch.nn.Linear(4, 4).state_dict()  # normally read from a checkpoint
with torch.device("meta"):
    model = torch.nn.Linear(4, 4)  # shapes only, no values
model.load_state_dict(weights, assign=True)  # put the values in first
model.to("cpu")
