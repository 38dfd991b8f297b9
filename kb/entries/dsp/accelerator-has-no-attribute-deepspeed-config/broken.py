from accelerate import Accelerator

accelerator = Accelerator(cpu=True)  # no DeepSpeed here, and no prepare() yet
print(accelerator.deepspeed_config["zero_optimization"]["stage"])
