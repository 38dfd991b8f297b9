import numpy as np
import torch

logits = torch.randn(4, 3, requires_grad=True)
target = torch.from_numpy(np.array([0, 2, 1, 0], dtype=np.int32)).long()
torch.nn.functional.cross_entropy(logits, target).backward()
