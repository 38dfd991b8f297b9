import torch

torch.cuda.init()
# pinned host memory is asked of the driver, not of PyTorch's GPU cache
buffer = torch.empty(1 << 20, dtype=torch.uint8, pin_memory=True)
print(buffer.is_pinned())
