import torch

scaler = torch.amp.GradScaler("cuda", enabled=False)
print(scaler.get_scale())
