import torch
from transformers import Trainer, TrainingArguments
from transformers.trainer_utils import get_last_checkpoint


class Model(torch.nn.Linear):
    def forward(self, x):
        return {"loss": super().forward(x).mean()}


args = TrainingArguments("out", max_steps=1, use_cpu=True, report_to=[])
trainer = Trainer(Model(1, 1), args, train_dataset=[{"x": torch.zeros(1)}])
trainer.train(resume_from_checkpoint=get_last_checkpoint("out"))  # None in the first run
