import torch
import torch.nn.functional as F

x = torch.randn(1, 2, 4, 8, dtype=torch.float16)
cos = torch.ones(4, 8).to(x.dtype)
query, key, value = x * cos, x * cos, x
F.scaled_dot_product_attention(query, key, value)
