from peft import prepare_model_for_kbit_training as prepare  # the same for 4 and 8 bit
from torch.nn import Linear

model = prepare(Linear(4, 4), use_gradient_checkpointing=False)
