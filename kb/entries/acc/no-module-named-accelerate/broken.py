import subprocess, sys, venv

venv.create("env")  # another environment: nothing has been installed in it
python = "env/bin/python"
sys.exit(subprocess.run([python, "-m", "accelerate.commands.launch", "--help"]).returncode)
