from accelerate import Accelerator

accelerator = Accelerator(logging_dir="out/logs")
print(accelerator.logging_dir)
