import torch
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training as prepare  # the same for 4 and 8 bit

model = prepare(torch.nn.Sequential(torch.nn.Linear(4, 4)), use_gradient_checkpointing=False)
model = get_peft_model(model, LoraConfig(target_modules=["0"]))
