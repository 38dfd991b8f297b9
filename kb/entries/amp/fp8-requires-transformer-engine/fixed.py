from accelerate import Accelerator

accelerator = Accelerator(mixed_precision="bf16")
print(accelerator.mixed_precision)
