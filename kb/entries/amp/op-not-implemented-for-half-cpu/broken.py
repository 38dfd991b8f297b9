import torch

features = torch.randn(8, 16).half()  # FP16 on the CPU
distances = torch.cdist(features, features)
print(distances.shape)
