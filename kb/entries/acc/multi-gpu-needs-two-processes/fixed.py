from pathlib import Path

from accelerate.commands.launch import launch_command, launch_command_parser

Path("train.py").write_text("print('training')\n")
launch_command(launch_command_parser().parse_args(["--num_processes", "1", "train.py"]))
