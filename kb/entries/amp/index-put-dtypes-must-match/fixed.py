import torch

embed, project = torch.nn.Embedding(10, 4), torch.nn.Linear(4, 4)
with torch.autocast("cpu", dtype=torch.bfloat16):
    states = embed(torch.arange(5)).clone()
    image = project(torch.randn(2, 4))
    states[torch.tensor([0, 1])] = image.to(states.dtype)
