# repro: subprocess
import triton  # the package is there, and it can be imported

import torch

f = torch.compile(lambda x: x.sin() + 1)
print(f(torch.ones(4, device="cuda")))
