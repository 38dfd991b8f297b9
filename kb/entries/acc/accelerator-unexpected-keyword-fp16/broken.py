from accelerate import Accelerator

accelerator = Accelerator(fp16=True)
print(accelerator.mixed_precision)
