from accelerate import Accelerator
from accelerate.utils import ProjectConfiguration

first_run = ProjectConfiguration("out", automatic_checkpoint_naming=True)
Accelerator(cpu=True, project_config=first_run).save_state()  # out/checkpoints/checkpoint_0

second_run = ProjectConfiguration("out", automatic_checkpoint_naming=True, iteration=1)
Accelerator(cpu=True, project_config=second_run).save_state()
