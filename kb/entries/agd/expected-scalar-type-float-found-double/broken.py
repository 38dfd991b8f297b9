import numpy as np
import torch

weight = torch.from_numpy(np.array([0.2, 0.8]))  # NumPy: float64
logits, target = torch.randn(4, 2), torch.tensor([0, 1, 1, 0])
torch.nn.functional.cross_entropy(logits, target, weight=weight)
