from accelerate import Accelerator

first = Accelerator(mixed_precision="bf16")
second = Accelerator()  # shares the state of the first
print(first.mixed_precision, second.mixed_precision)
