import torch
from peft import LoraConfig, get_peft_model, prepare_model_for_int8_training as prepare  # gone since peft 0.10

model = prepare(torch.nn.Sequential(torch.nn.Linear(4, 4)), use_gradient_checkpointing=False)
model = get_peft_model(model, LoraConfig(target_modules=["0"]))
