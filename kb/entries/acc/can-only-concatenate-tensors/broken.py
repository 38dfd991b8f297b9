from accelerate import Accelerator, debug_launcher
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __iter__(self):
        yield from [{"id": "a", "x": 1.0}, {"id": "b", "x": 2.0}]


def worker():
    accelerator = Accelerator(cpu=True)
    print(next(iter(accelerator.prepare(DataLoader(Stream())))))


if __name__ == "__main__":
    debug_launcher(worker, num_processes=2)
