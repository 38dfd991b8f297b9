import torch
from flash_attn import flash_attn_func

q = torch.randn(1, 8, 4, 64, device="cuda", dtype=torch.bfloat16)
out = flash_attn_func(q, q, q, causal=True)
print(out.dtype)
