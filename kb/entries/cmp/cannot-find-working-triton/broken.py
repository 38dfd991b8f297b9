# repro: subprocess
import sys

sys.modules["triton"] = None  # what an environment without the package looks like: `import triton` fails

import torch

f = torch.compile(lambda x: x.sin() + 1)
print(f(torch.ones(4, device="cuda")))
