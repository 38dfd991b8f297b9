from pathlib import Path

import torch

torch.save({"weight": torch.zeros(2)}, "checkpoint.pt.tmp")
Path("checkpoint.pt.tmp").replace("checkpoint.pt")  # appears whole or not at all

torch.load("checkpoint.pt", weights_only=False)
