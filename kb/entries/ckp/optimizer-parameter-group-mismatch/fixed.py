import torch

model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 1))
saved = torch.optim.AdamW(model.parameters()).state_dict()  # 4 tensors

optimizer = torch.optim.AdamW(model.parameters())  # the same parameters as then
optimizer.load_state_dict(saved)
model[0].requires_grad_(False)  # frozen afterwards: no gradient, no update
