import torch
from transformers import Trainer, TrainingArguments


class Net(torch.nn.Linear):
    def forward(self, x, labels):
        x = (x - x.mean()) / (x.std() + 1e-6)
        return {"loss": torch.nn.functional.cross_entropy(super().forward(x), labels)}


data = [{"x": torch.tensor(x), "labels": 1} for x in ([1.0, 1.0], [1.0, 2.0], [3.0, 1.0], [2.0, 5.0])]
args = TrainingArguments("out", max_steps=4, logging_steps=1, per_device_train_batch_size=1, report_to="none", use_cpu=True)
Trainer(Net(2, 3), args, train_dataset=data).train()
