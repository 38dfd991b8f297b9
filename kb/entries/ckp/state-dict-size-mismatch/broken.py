import torch

saved = torch.nn.Linear(16, 3).state_dict()  # trained with three classes

model = torch.nn.Linear(16, 2)
model.load_state_dict(saved)
