from peft import prepare_model_for_int8_training as prepare  # gone since peft 0.10
from torch.nn import Linear

model = prepare(Linear(4, 4), use_gradient_checkpointing=False)
