import torch

norm = torch.nn.LayerNorm(4).to(torch.bfloat16)
x = torch.randn(2, 4)  # FP32

print(norm(x).dtype)
