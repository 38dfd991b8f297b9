import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class Live(TorchDispatchMode):
    """Knows every tensor that an operation made, and which are still alive: memory_allocated() for a CPU."""

    def __init__(self):
        super().__init__()
        self.made = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for t in tree_leaves(result):
            if isinstance(t, torch.Tensor):
                storage = t.untyped_storage()
                self.made[storage._cdata] = (StorageWeakRef(storage), storage.nbytes())
        return result

    def mib(self):
        return sum(size for ref, size in self.made.values() if not ref.expired()) / 2**20


def run(name, keep=lambda loss, out: 0, train=True, lengths=(1024,) * 5):
    """Five steps that hold on to what `keep` gives back; prints the MiB alive after each."""
    model = torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.ReLU(), torch.nn.Linear(256, 256))
    optimizer = torch.optim.AdamW(model.parameters())
    kept, after = [], []
    with Live() as live:
        for length in lengths:
            out = model(torch.randn(length, 256))
            loss = out.pow(2).mean()
            if train:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            kept.append(keep(loss, out))
            after.append(live.mib())
    print(f"{name:34}", " ".join(f"{value:6.2f}" for value in after))


run("training, nothing kept")
run("training, loss kept", lambda loss, out: loss)
run("training, out kept", lambda loss, out: out)
run("training, out.argmax(-1) kept", lambda loss, out: out.argmax(-1))
run("training, metric kept", lambda loss, out: out.norm())
run("training, metric.item() kept", lambda loss, out: out.norm().item())
run("evaluation with graph, loss kept", lambda loss, out: loss, train=False)
with torch.no_grad():
    run("evaluation, no_grad, loss kept", lambda loss, out: loss, train=False)
run("growing batches, nothing kept", lengths=(256, 512, 1024, 1024, 512))
