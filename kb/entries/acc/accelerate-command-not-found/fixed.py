import subprocess, sys

env = {"PATH": "/usr/bin:/bin"}
command = [sys.executable, "-m", "accelerate.commands.launch", "--help"]  # needs no PATH
subprocess.run(command, env=env, check=True)
