from accelerate import Accelerator

accelerator = Accelerator(cpu=True)  # no DeepSpeed here, and no prepare() yet
plugin = accelerator.deepspeed_plugin  # there from the start; None without DeepSpeed
print(plugin.deepspeed_config["zero_optimization"]["stage"] if plugin else "not a DeepSpeed run")
