from accelerate import Accelerator

accelerator = Accelerator(project_dir="out/logs")
print(accelerator.logging_dir)
