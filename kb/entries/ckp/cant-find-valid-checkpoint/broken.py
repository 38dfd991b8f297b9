import torch
from transformers import Trainer, TrainingArguments


class Model(torch.nn.Linear):
    def forward(self, x):
        return {"loss": super().forward(x).mean()}


args = TrainingArguments("out", max_steps=1, use_cpu=True, report_to=[])
trainer = Trainer(Model(1, 1), args, train_dataset=[{"x": torch.zeros(1)}])
trainer.train(resume_from_checkpoint=True)
