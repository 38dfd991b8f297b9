import torch

q = torch.full((1, 4, 64), 40.0)

with torch.autocast("cpu", dtype=torch.float16):
    scores = (q / 8) @ q.transpose(1, 2)  # scaled before the product: 12800
    attention = scores.softmax(-1) @ q
    loss = attention.pow(2).mean()
print(f"step 1 loss: {loss.item()}")
