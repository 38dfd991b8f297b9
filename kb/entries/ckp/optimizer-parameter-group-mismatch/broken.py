import torch

model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 1))
saved = torch.optim.AdamW(model.parameters()).state_dict()  # 4 tensors

model[0].requires_grad_(False)  # frozen since the checkpoint was written
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad])
optimizer.load_state_dict(saved)
