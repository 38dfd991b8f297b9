import subprocess, sys

env = {"PATH": "/usr/bin:/bin"}  # what a cron job or a service gets: no virtual environment in it
command = ["accelerate", "launch", "--help"]
subprocess.run(command, env=env, check=True)
