import argparse

import torch

torch.save({"weight": torch.zeros(2), "args": argparse.Namespace(lr=0.1)}, "checkpoint.pt")

with torch.serialization.safe_globals([argparse.Namespace]):
    torch.load("checkpoint.pt")
