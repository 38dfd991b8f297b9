import torch

torch.save({"weight": torch.zeros(3)}, "model.pt")
state = torch.load("model.pt", map_location="cuda")  # also: no map_location, file saved on a GPU
print(state["weight"].device)
