import torch

conv = torch.nn.Conv2d(3, 8, kernel_size=3)
images = torch.rand(2, 32, 32, 3)  # channels last, as PIL, OpenCV and NumPy deliver them
conv(images)
