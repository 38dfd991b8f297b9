import torch

features = torch.randn(6, 16, 2, 2)  # the input image was smaller than the model expects
features = torch.nn.functional.adaptive_avg_pool2d(features, (5, 5))
x = features.view(-1, 16 * 5 * 5)
print(x.shape)
