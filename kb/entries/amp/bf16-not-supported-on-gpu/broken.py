from transformers import TrainingArguments

args = TrainingArguments(output_dir="out", bf16=True)  # a machine without a BF16 GPU
print(args.device)
