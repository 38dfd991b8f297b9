from accelerate import Accelerator
from transformers import TrainingArguments

args = TrainingArguments(output_dir="out", use_cpu=True)
accelerator = Accelerator(cpu=True)  # built after the arguments
print(accelerator.distributed_type)
