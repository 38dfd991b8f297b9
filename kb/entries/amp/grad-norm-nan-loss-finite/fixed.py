import torch

anchor = torch.nn.Parameter(torch.ones(3))
positive = torch.ones(3)  # equal to the anchor: the distance is 0

distance = ((anchor - positive).pow(2).sum() + 1e-12).sqrt()
loss = (distance + 1.0).relu()
loss.backward()
grad_norm = torch.nn.utils.clip_grad_norm_([anchor], 1.0)
print(f"step 1  loss: {loss.item():.4f}  grad_norm: {grad_norm.item()}")
