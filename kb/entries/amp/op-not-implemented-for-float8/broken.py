import torch

layer = torch.nn.Linear(4, 4).to(torch.float8_e4m3fn)
dtype = layer.weight.dtype  # the storage dtype, taken for the compute dtype

x = torch.randn(2, 4).to(dtype)
y = torch.nn.functional.linear(x, layer.weight.to(dtype), layer.bias.to(dtype))
print(torch.nn.functional.silu(y))
