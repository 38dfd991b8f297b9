import torch

model = torch.nn.Sequential(torch.nn.Linear(4, 2))
torch.save(torch.nn.DataParallel(model).state_dict(), "checkpoint.pt")  # every key begins with "module."

model.load_state_dict(torch.load("checkpoint.pt"))
