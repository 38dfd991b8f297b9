from accelerate.commands.launch import launch_command, launch_command_parser

with open("train.py", "w") as script:
    script.write("raise ValueError('global batch size must be divisible by 8')\n")
launch_command(launch_command_parser().parse_args(["--cpu", "--num_processes", "1", "train.py"]))
