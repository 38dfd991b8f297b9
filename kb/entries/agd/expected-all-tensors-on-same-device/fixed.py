import torch
from torch._subclasses.fake_tensor import FakeTensorMode

with FakeTensorMode():  # torch.compile's device check on tensors without data: no GPU needed
    weight = torch.empty(1, 4, device="cuda")
    batch = torch.empty(2, 4).to(weight.device)
    torch.nn.functional.linear(batch, weight)
