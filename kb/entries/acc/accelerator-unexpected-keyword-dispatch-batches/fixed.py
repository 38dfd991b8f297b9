from accelerate import Accelerator, DataLoaderConfiguration

accelerator = Accelerator(dataloader_config=DataLoaderConfiguration(dispatch_batches=False, even_batches=True))
print(accelerator.even_batches)
