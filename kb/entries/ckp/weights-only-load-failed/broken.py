import argparse

import torch

torch.save({"weight": torch.zeros(2), "args": argparse.Namespace(lr=0.1)}, "checkpoint.pt")

torch.load("checkpoint.pt")
