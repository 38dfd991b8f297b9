from safetensors.torch import save_model
from torch import nn

model = nn.ModuleDict({"emb": nn.Embedding(8, 4), "head": nn.Linear(4, 8, bias=False)})
model["head"].weight = model["emb"].weight  # two names, one tensor
save_model(model, "model.safetensors")
