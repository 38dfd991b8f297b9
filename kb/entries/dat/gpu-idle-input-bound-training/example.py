import time

import torch
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    """Stands for reading and decoding a file: 5 ms per sample."""

    def __len__(self):
        return 320

    def __getitem__(self, index):
        time.sleep(0.005)
        return torch.randn(256), torch.tensor(0)


def epoch(batches):
    """Seconds spent waiting for data, and in the step itself."""
    waiting = working = 0.0
    mark = time.perf_counter()
    for x, y in batches:
        waiting += time.perf_counter() - mark
        mark = time.perf_counter()
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()  # on a GPU: torch.cuda.synchronize() before reading the clock
        working += time.perf_counter() - mark
        mark = time.perf_counter()
    return waiting, working


def report(name, batches):
    waiting, working = epoch(batches)
    print(f"{name}: waiting {waiting:.2f} s, working {working:.2f} s, {waiting / (waiting + working):.0%} of the time idle")


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(256, 2048), torch.nn.ReLU(), torch.nn.Linear(2048, 2048), torch.nn.Linear(2048, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(Slow(), batch_size=8)
    batch = next(iter(loader))
    report("num_workers=0        ", loader)
    report("num_workers=2        ", DataLoader(Slow(), batch_size=8, num_workers=2))
    report("one batch, repeated  ", [batch] * 40)  # no data pipeline: what the step alone can do
