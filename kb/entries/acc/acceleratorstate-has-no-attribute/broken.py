from accelerate import Accelerator
from transformers import TrainingArguments

accelerator = Accelerator(cpu=True)
args = TrainingArguments(output_dir="out", use_cpu=True)  # resets the state that the accelerator reads
print(accelerator.distributed_type)
