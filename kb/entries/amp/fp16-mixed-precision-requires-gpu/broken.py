from accelerate import Accelerator

accelerator = Accelerator(mixed_precision="fp16")  # no GPU visible
print(accelerator.device)
