import torch

x = torch.randn(8, 192).half()
spectrum = torch.fft.rfft(x.float(), dim=-1)
print(spectrum.dtype)
