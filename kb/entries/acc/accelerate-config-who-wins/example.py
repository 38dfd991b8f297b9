import json
import os
from pathlib import Path

from accelerate import Accelerator
from accelerate.commands.launch import launch_command, launch_command_parser

Path("cpu.yaml").write_text("distributed_type: MULTI_CPU\nmixed_precision: bf16\nnum_processes: 1\nnum_machines: 1\ndebug: true\nuse_cpu: true\n")
Path("two.yaml").write_text("distributed_type: MULTI_GPU\nnum_processes: 2\nnum_machines: 1\nmain_process_port: 0\n")
Path("train.py").write_text(
    "import json, os\nif os.environ.get('RANK', '0') == '0': json.dump(dict(os.environ), open('handed.json', 'w'))\n"
)


def handed(*flags):
    """The variables that `accelerate launch` hands to the script."""
    launch_command(launch_command_parser().parse_args([*flags, "train.py"]))
    return json.loads(Path("handed.json").read_text())


file = ("--config_file", "two.yaml")
assert handed(*file)["WORLD_SIZE"] == "2"  # the file
assert handed(*file, "--num_processes", "3")["WORLD_SIZE"] == "3"  # the flag beats the file

os.environ.update(ACCELERATE_MIXED_PRECISION="fp16", ACCELERATE_USE_CPU="false")
file = ("--config_file", "cpu.yaml")
variables = handed(*file)
assert variables["ACCELERATE_MIXED_PRECISION"] == "bf16"  # the file beats the environment
assert variables["ACCELERATE_USE_CPU"] == "True"
assert variables["ACCELERATE_DEBUG_MODE"] == "true"
assert handed(*file, "--mixed_precision", "no")["ACCELERATE_MIXED_PRECISION"] == "no"  # the flag beats the file
assert handed("--cpu")["ACCELERATE_MIXED_PRECISION"] == "no"  # no file, no flag: the variable is overwritten all the same

os.environ["ACCELERATE_GRADIENT_ACCUMULATION_STEPS"] = "16"
accelerator = Accelerator(cpu=True, mixed_precision="no", gradient_accumulation_steps=4)
assert accelerator.mixed_precision == "no"  # the code beats the environment
assert accelerator.gradient_accumulation_steps == 16  # but here the environment beats the code
print("code > flag > file > environment; accumulation steps: environment > code")
