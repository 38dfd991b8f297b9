import torch
from safetensors.torch import save_file

weight = torch.zeros(4, 3).t()  # a view: the memory is still in the old order

save_file({"weight": weight}, "model.safetensors")
