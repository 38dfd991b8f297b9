import torch
from transformers import TrainingArguments

native = torch.cuda.is_available() and torch.cuda.is_bf16_supported(including_emulation=False)
args = TrainingArguments(output_dir="out", bf16=native, fp16=torch.cuda.is_available() and not native)
print(args.device)
