import os

os.environ.update(RANK="0", WORLD_SIZE="1", LOCAL_RANK="0", MASTER_ADDR="127.0.0.1", MASTER_PORT="29514")  # what torchrun sets

import torch
from accelerate import Accelerator, dispatch_model

model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 1))
model = dispatch_model(model, {"0": "cpu", "1": "disk"}, offload_dir="offload")  # one model on two devices
Accelerator(cpu=True).prepare(model)
