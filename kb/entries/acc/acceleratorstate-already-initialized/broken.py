from accelerate import Accelerator

first = Accelerator(mixed_precision="no")
second = Accelerator(mixed_precision="bf16")
print(first.mixed_precision, second.mixed_precision)
