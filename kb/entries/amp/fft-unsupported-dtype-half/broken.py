import torch

x = torch.randn(8, 192).half()
spectrum = torch.fft.rfft(x, dim=-1)
print(spectrum.dtype)
