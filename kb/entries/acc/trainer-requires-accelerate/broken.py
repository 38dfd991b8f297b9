# repro: subprocess
import sys

missing = dict.fromkeys(["accelerate", "peft"])
sys.modules.update(missing)  # not installed yet when the notebook imports transformers
from transformers import TrainingArguments

for name in missing:
    del sys.modules[name]  # "pip install accelerate" in the next cell, without a restart
import accelerate  # works

TrainingArguments(output_dir="out")
