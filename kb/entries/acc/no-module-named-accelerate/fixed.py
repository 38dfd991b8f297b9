import subprocess, sys, venv

venv.create("env")
python = sys.executable  # the environment in which accelerate is installed
sys.exit(subprocess.run([python, "-m", "accelerate.commands.launch", "--help"]).returncode)
