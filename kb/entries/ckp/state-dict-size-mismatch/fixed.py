import torch

saved = torch.nn.Linear(16, 3).state_dict()  # trained with three classes

model = torch.nn.Linear(16, saved["weight"].shape[0])
model.load_state_dict(saved)
