import torch

saved = torch.amp.GradScaler("cpu", enabled=False).state_dict()  # the first run was not in FP16
scaler = torch.amp.GradScaler("cpu")

if saved:  # nothing to restore: begin with a fresh scale
    scaler.load_state_dict(saved)
print(scaler.get_scale())
