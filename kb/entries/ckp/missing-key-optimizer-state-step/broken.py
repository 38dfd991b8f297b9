import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_optimizer_state_dict

model = torch.nn.Linear(2, 1)
optimizer = torch.optim.AdamW(model.parameters())
model(torch.ones(1, 2)).sum().backward()
optimizer.step()
dcp.save({"optimizer": get_optimizer_state_dict(model, optimizer)}, checkpoint_id="checkpoint")

dcp.load({"optimizer": optimizer.state_dict()}, checkpoint_id="checkpoint")
