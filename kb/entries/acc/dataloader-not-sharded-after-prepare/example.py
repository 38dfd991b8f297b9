from accelerate import Accelerator, debug_launcher
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def cycle(loader):
    while True:
        yield from loader


def worker():
    accelerator = Accelerator(cpu=True)
    rank, data = accelerator.process_index, list(range(8))

    endless = cycle(DataLoader(data, batch_size=2))
    assert accelerator.prepare(endless) is endless  # not a DataLoader: returned as it is
    assert next(endless).tolist() == [0, 1]  # on both processes

    loader = accelerator.prepare(DataLoader(data, batch_size=2))
    assert (type(loader).__name__, len(loader), loader.total_batch_size) == ("DataLoaderShard", 2, 4)
    assert next(cycle(loader)).tolist() == [[0, 1], [2, 3]][rank]  # prepared first, then wrapped

    sampler = DistributedSampler(data, shuffle=False)
    loader = accelerator.prepare(DataLoader(data, batch_size=2, sampler=sampler))
    assert sum(len(batch) for batch in loader) == 2  # of 8 samples: split twice, half of the data is lost
    accelerator.print("prepare the DataLoader, then wrap it; no DistributedSampler")


if __name__ == "__main__":
    debug_launcher(worker, num_processes=2)
