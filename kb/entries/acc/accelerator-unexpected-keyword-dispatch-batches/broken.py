from accelerate import Accelerator

accelerator = Accelerator(dispatch_batches=False, even_batches=True)  # gone since accelerate 1.0
print(accelerator.even_batches)
