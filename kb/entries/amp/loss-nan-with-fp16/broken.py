import torch

q = torch.full((1, 4, 64), 40.0)

with torch.autocast("cpu", dtype=torch.float16):
    scores = q @ q.transpose(1, 2)  # 64 * 40 * 40 = 102400, above 65504: inf
    attention = (scores / 8).softmax(-1) @ q
    loss = attention.pow(2).mean()
print(f"step 1 loss: {loss.item()}")
