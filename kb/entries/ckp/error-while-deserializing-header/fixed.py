from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

save_file({"weight": torch.zeros(100)}, "model.safetensors")
whole = Path("model.safetensors").read_bytes()
Path("model.safetensors").write_bytes(whole)  # every byte arrived

load_file("model.safetensors")
