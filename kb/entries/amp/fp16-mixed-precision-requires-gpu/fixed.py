import torch
from accelerate import Accelerator

precision = "fp16" if torch.cuda.is_available() else "no"
accelerator = Accelerator(mixed_precision=precision)
print(accelerator.device)
