import torch
from safetensors.torch import save_file

weight = torch.zeros(4, 3).t().contiguous()  # packed in its own order

save_file({"weight": weight}, "model.safetensors")
