# repro: subprocess
import os
import sys

os.environ["PATH"] = os.path.dirname(sys.executable)  # a plain prompt: no developer environment, no cl.exe

import torch

f = torch.compile(lambda x: x.sin() + 1)
print(f(torch.ones(4)))
