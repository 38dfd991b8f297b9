import torch

# On a card below compute capability 7.0 (GTX 10xx, P40, P100, Titan X).
print(torch.cuda.get_device_name(), torch.cuda.get_device_capability())

f = torch.compile(lambda x: x.sin() + 1, disable=torch.cuda.get_device_capability() < (7, 0))
print(f(torch.ones(4, device="cuda")))
