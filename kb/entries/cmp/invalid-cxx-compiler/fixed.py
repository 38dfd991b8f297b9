import os

os.environ["CXX"] = "g++"  # on the PATH

import torch

f = torch.compile(lambda x: x.sin() + 1)
print(f(torch.ones(4)))
