import os
import subprocess
import sys
from pathlib import Path

Path("config.yaml").write_text("distributed_type: 'NO'\nmixed_precision: bf16\nnum_processes: 1\nuse_cpu: true\n")
Path("show.py").write_text(
    "import sys\n"
    "from accelerate import Accelerator\n"
    "print(Accelerator(cpu=True, mixed_precision=sys.argv[1] if sys.argv[1:] else None).mixed_precision)\n"
)
LAUNCH = ["-m", "accelerate.commands.launch", "--config_file", "config.yaml"]


def result(*command, **environment):
    done = subprocess.run([sys.executable, *command], env=os.environ | environment, capture_output=True, text=True, check=True)
    return done.stdout.split()[-1]


assert result("show.py") == "no"  # started with python: the config file is not read
assert result("show.py", ACCELERATE_MIXED_PRECISION="bf16") == "bf16"
assert result(*LAUNCH, "show.py", ACCELERATE_MIXED_PRECISION="fp16") == "bf16"  # the config file beats the environment
assert result(*LAUNCH, "--mixed_precision", "no", "show.py") == "no"  # the flag beats the config file
assert result(*LAUNCH, "--mixed_precision", "no", "show.py", "bf16") == "bf16"  # the code beats the flag
print("code > flag > config file > environment > no")
