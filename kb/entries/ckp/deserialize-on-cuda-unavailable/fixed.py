import torch

torch.save({"weight": torch.zeros(3)}, "model.pt")
state = torch.load("model.pt", map_location="cpu")
print(state["weight"].device)
