import torch

model = torch.nn.Linear(4, 1)
output = model(torch.randn(3, 4))
print(output.detach().numpy())
