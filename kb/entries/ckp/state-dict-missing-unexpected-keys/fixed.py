import torch

model = torch.nn.Sequential(torch.nn.Linear(4, 2))
torch.save(torch.nn.DataParallel(model).module.state_dict(), "checkpoint.pt")  # the model inside the wrapper

model.load_state_dict(torch.load("checkpoint.pt"))
