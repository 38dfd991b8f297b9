from pathlib import Path

from accelerate.commands.config.config_args import load_config_from_file  # what accelerate launch calls

Path("config.yaml").write_text("distributed_type: 'NO'\ndowncast_bf16: 'no'\n")  # the key that exists
load_config_from_file("config.yaml")
