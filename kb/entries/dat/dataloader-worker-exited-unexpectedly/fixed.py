import sys

from torch.utils.data import DataLoader

class Samples(list):
    def __getitem__(self, index):
        if index == 3:
            print("sample 3 is damaged, replaced", file=sys.stderr)
            return self[index - 1]
        return index
print(list(DataLoader(Samples(range(8)), batch_size=4, num_workers=1)))
