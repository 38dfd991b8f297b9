import torch
import torch.nn.functional as F

query = torch.randn(1, 2, 4, 8)
mask = torch.zeros(4, 4, dtype=query.dtype)  # the dtype of the query
F.scaled_dot_product_attention(query, query, query, attn_mask=mask)
