from accelerate import Accelerator

accelerator = Accelerator(mixed_precision="fp16")
print(accelerator.mixed_precision)
