import multiprocessing
import os
from pathlib import Path

from accelerate import Accelerator
from accelerate.commands.launch import launch_command, launch_command_parser

Path("config.yaml").write_text("distributed_type: 'NO'\nmixed_precision: bf16\nnum_processes: 1\nuse_cpu: true\n")
Path("train.py").write_text("import os; print(os.environ['ACCELERATE_MIXED_PRECISION'], file=open('handed', 'w'))\n")


def launch(*flags):
    """What `accelerate launch` hands to the script: the variable that `Accelerator` reads."""
    launch_command(launch_command_parser().parse_args(["--config_file", "config.yaml", *flags, "train.py"]))
    return Path("handed").read_text().strip()


def precision(variable, **code):
    """What `Accelerator` makes of that variable, in a process of its own."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(read, (variable, code))


def read(variable, code):
    os.environ.update({"ACCELERATE_MIXED_PRECISION": variable} if variable else {})
    return Accelerator(cpu=True, **code).mixed_precision


assert precision(None) == "no"  # started with python: the config file is not read
assert precision("bf16") == "bf16"
assert precision("no", mixed_precision="bf16") == "bf16"  # the code beats the flag and all behind it
assert launch("--mixed_precision", "no") == "no"  # the flag beats the config file
os.environ["ACCELERATE_MIXED_PRECISION"] = "fp16"
assert launch() == "bf16"  # the config file beats the environment
print("code > flag > config file > environment > no")
