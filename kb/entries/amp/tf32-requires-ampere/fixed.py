from transformers import TrainingArguments

args = TrainingArguments("out")
print(args.tf32)
