import torch

norm = torch.nn.LayerNorm(4).to(torch.bfloat16)
x = torch.randn(2, 4, dtype=torch.bfloat16)  # the dtype of the weights

print(norm(x).dtype)
