from transformers import TrainingArguments

args = TrainingArguments("out", tf32=True)
print(args.tf32)
