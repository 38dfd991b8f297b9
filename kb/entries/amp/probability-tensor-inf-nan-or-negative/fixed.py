import torch

hidden = torch.full((1, 4096), 4.0)
head = torch.full((10, 4096), 5.0)

with torch.autocast("cpu", dtype=torch.bfloat16):
    logits = torch.nn.functional.linear(hidden, head)  # 81920 fits in BF16
    probs = logits.softmax(-1)
token = torch.multinomial(probs, num_samples=1)
