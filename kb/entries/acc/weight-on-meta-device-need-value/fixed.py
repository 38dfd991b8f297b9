import torch
from accelerate import init_empty_weights, load_checkpoint_and_dispatch

weights = {"bias": torch.zeros(4), "weight": torch.eye(4)}  # the whole checkpoint
torch.save(weights, "model.bin")
with init_empty_weights():
    model = torch.nn.Linear(4, 4)
load_checkpoint_and_dispatch(model, "model.bin", device_map={"": "cpu"}, force_hooks=True)
