from pathlib import Path

import torch

torch.save({"weight": torch.zeros(100_000)}, "checkpoint.pt")
whole = Path("checkpoint.pt").read_bytes()
Path("checkpoint.pt").write_bytes(whole[:200_000])  # a download that stopped early

torch.load("checkpoint.pt")
