# repro: subprocess
# installed, then restarted: accelerate is there when transformers is imported
from transformers import TrainingArguments

import accelerate  # works

TrainingArguments(output_dir="out")
