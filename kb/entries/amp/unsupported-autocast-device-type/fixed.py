import torch

layer = torch.nn.Linear(4, 4, device="meta")
x = torch.ones(2, 4, device="meta")

device_type = x.device.type if torch.amp.is_autocast_available(x.device.type) else "cpu"
with torch.autocast(device_type, dtype=torch.bfloat16):
    print(layer(x).shape)
