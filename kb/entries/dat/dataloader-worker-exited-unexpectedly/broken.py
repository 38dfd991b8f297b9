import sys

from torch.utils.data import DataLoader

class Samples(list):
    def __getitem__(self, index):
        if index == 3:
            sys.exit("sample 3 is damaged")  # ends the worker; an exception would reach the main process
        return index
print(list(DataLoader(Samples(range(8)), batch_size=4, num_workers=1)))
