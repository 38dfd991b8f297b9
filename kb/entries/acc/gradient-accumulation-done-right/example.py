import contextlib
import itertools

import torch
from accelerate import Accelerator
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader

STEPS = 4
torch.manual_seed(0)
start = torch.nn.Linear(8, 5).state_dict()


def fresh():
    model = torch.nn.Linear(8, 5)
    model.load_state_dict(start)
    return model


def batches_of(lengths):
    return [(torch.randn(n, 8), torch.randint(5, (n,))) for n in lengths]


def big_batch(batches):
    """The gradient that accumulation has to reproduce: all tokens in one batch."""
    model = fresh()
    x, y = (torch.cat(part) for part in zip(*batches))
    cross_entropy(model(x), y).backward()
    return model.weight.grad


def accumulated(batches, loss_of):
    model = fresh()
    for x, y in batches:
        loss_of(model(x), y).backward()
    return model.weight.grad


def error(grad, batches):
    return f"{((grad - big_batch(batches)).norm() / big_batch(batches).norm()).item():.0e}"


equal, unequal = batches_of([6, 6, 6, 6]), batches_of([3, 19, 2, 8])
tokens = sum(len(y) for _, y in unequal)
print("equal sizes,   mean / 4      ", error(accumulated(equal, lambda p, y: cross_entropy(p, y) / STEPS), equal))
print("unequal sizes, mean / 4      ", error(accumulated(unequal, lambda p, y: cross_entropy(p, y) / STEPS), unequal))
by_tokens = accumulated(unequal, lambda p, y: cross_entropy(p, y, reduction="sum") / tokens)
print("unequal sizes, sum / tokens  ", error(by_tokens, unequal))
assert torch.allclose(by_tokens, big_batch(unequal), atol=1e-6)


def prepared(accelerator, batches):
    model = fresh()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    loader = DataLoader(batches, batch_size=1, collate_fn=lambda items: items[0])
    return accelerator.prepare(model, optimizer, scheduler, loader)


# Six batches, windows of four: the second window holds only two.
data = batches_of([6] * 6)
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=STEPS)
model, optimizer, scheduler, loader = prepared(accelerator, data)
for x, y in loader:
    with accelerator.accumulate(model):
        accelerator.backward(cross_entropy(model(x), y))
        if accelerator.sync_gradients:
            norm = accelerator.clip_grad_norm_(model.parameters(), 10.0)
            print("accumulate(): update, gradient norm", f"{norm:.3f}")
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
print("scheduler steps:", scheduler.scheduler.last_epoch, "for", len(data), "batches")
assert scheduler.scheduler.last_epoch == 2

# Windows by hand, weighted by tokens: right for unequal sizes and for the short last window.
data = batches_of([3, 19, 2, 8, 5, 11])
accelerator = Accelerator(cpu=True)
model, optimizer, scheduler, loader = prepared(accelerator, data)
iterator = iter(loader)
while window := list(itertools.islice(iterator, STEPS)):
    before = model.weight.detach().clone()
    items = accelerator.gather(torch.tensor(sum(len(y) for _, y in window))).sum()
    for i, (x, y) in enumerate(window):
        last = i == len(window) - 1
        with contextlib.nullcontext() if last else accelerator.no_sync(model):
            loss = cross_entropy(model(x), y, reduction="sum") * accelerator.num_processes / items
            accelerator.backward(loss)
    reference = fresh()
    reference.load_state_dict(model.state_dict())
    cross_entropy(reference(torch.cat([x for x, _ in window])), torch.cat([y for _, y in window])).backward()
    assert torch.allclose(model.weight.grad, reference.weight.grad, atol=1e-6)
    print("by hand:", len(window), "batches, same gradient as one batch of", int(items), "tokens")
    optimizer.step()
    scheduler.step()
    optimizer.zero_grad()
