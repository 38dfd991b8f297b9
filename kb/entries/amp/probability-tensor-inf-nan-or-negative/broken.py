import torch

hidden = torch.full((1, 4096), 4.0)
head = torch.full((10, 4096), 5.0)

with torch.autocast("cpu", dtype=torch.float16):
    logits = torch.nn.functional.linear(hidden, head)  # 4096 * 4 * 5 = 81920, above 65504: inf
    probs = logits.softmax(-1)  # inf - inf is NaN
token = torch.multinomial(probs, num_samples=1)
