import torch

scaler = torch.cuda.amp.GradScaler(enabled=False)  # the name this PyTorch has; from 2.3 on also torch.amp.GradScaler
print(scaler.get_scale())
