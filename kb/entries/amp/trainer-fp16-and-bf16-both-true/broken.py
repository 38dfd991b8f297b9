from transformers import TrainingArguments

args = TrainingArguments("out", use_cpu=True, bf16=True, fp16=True)
print(args.mixed_precision)
