import torch
import torch.nn.functional as F

x = torch.randn(1, 2, 4, 8, dtype=torch.float16)
cos = torch.ones(4, 8)  # a rotary table in FP32
query, key, value = x * cos, x * cos, x  # the product is FP32
F.scaled_dot_product_attention(query, key, value)
