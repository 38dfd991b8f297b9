import os
from pathlib import Path

from accelerate import Accelerator
from accelerate.commands.launch import _validate_launch_command, launch_command, launch_command_parser

Path("config.yaml").write_text(
    "distributed_type: MULTI_CPU\nmixed_precision: bf16\nnum_processes: 2\nnum_machines: 1\ndebug: true\nuse_cpu: true\n"
)
Path("train.py").write_text("import json, os; json.dump(dict(os.environ), open('handed.json', 'w'))\n")


def parse(*flags):
    return launch_command_parser().parse_args([*flags, "train.py"])


def handed(*flags):
    """The variables that `accelerate launch` hands to the script."""
    launch_command(parse(*flags))
    return __import__("json").loads(Path("handed.json").read_text())


file = ("--config_file", "config.yaml")
assert _validate_launch_command(parse(*file))[0].num_processes == 2  # the file
assert _validate_launch_command(parse(*file, "--num_processes", "4"))[0].num_processes == 4  # the flag beats the file

os.environ.update(ACCELERATE_MIXED_PRECISION="fp16", ACCELERATE_USE_CPU="false")
assert handed(*file)["ACCELERATE_MIXED_PRECISION"] == "bf16"  # the file beats the environment
assert handed(*file)["ACCELERATE_USE_CPU"] == "True"
assert handed(*file)["ACCELERATE_DEBUG_MODE"] == "true"
assert handed(*file, "--mixed_precision", "no")["ACCELERATE_MIXED_PRECISION"] == "no"  # the flag beats the file

os.environ["ACCELERATE_GRADIENT_ACCUMULATION_STEPS"] = "16"
accelerator = Accelerator(cpu=True, mixed_precision="no", gradient_accumulation_steps=4)
assert accelerator.mixed_precision == "no"  # the code beats the environment
assert accelerator.gradient_accumulation_steps == 16  # but here the environment beats the code
print("code > flag > file > environment; accumulation steps: environment > code")
