import torch
from accelerate import Accelerator
from accelerate.utils import DataLoaderConfiguration, set_seed
from torch.utils.data import DataLoader, TensorDataset


class Progress:
    """What accelerate cannot know: how far the training is."""

    def __init__(self):
        self.step = 0

    def state_dict(self):
        return {"step": self.step}

    def load_state_dict(self, state):
        self.step = state["step"]


def train(resume_from=None, save_at=None):
    set_seed(0)
    accelerator = Accelerator(cpu=True, dataloader_config=DataLoaderConfiguration(use_seedable_sampler=True))
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    data = TensorDataset(torch.arange(24.0).view(12, 2) / 24)
    loader = DataLoader(data, batch_size=2, shuffle=True)  # 6 batches an epoch
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    progress = Progress()
    accelerator.register_for_checkpointing(progress)
    if resume_from:
        accelerator.load_state(resume_from)  # after prepare() and register_for_checkpointing()

    losses = []
    first_epoch, done = divmod(progress.step, len(loader))
    for epoch in range(first_epoch, 2):
        loader.set_epoch(epoch)
        batches = accelerator.skip_first_batches(loader, done) if epoch == first_epoch and done else loader
        for (x,) in batches:
            loss = model(x).pow(2).mean()
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            progress.step += 1
            losses.append(loss.item())
            if progress.step == save_at:
                accelerator.save_state("checkpoint")
                accelerator.save_model(model, "weights")
    return losses


whole = train(save_at=3)
resumed = train(resume_from="checkpoint")
assert whole[3:] == resumed, (whole, resumed)
print("resumed at step 3, same losses:", [round(loss, 4) for loss in resumed])
