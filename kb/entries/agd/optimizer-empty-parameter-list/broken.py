import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [torch.nn.Linear(2, 2)]  # a Python list registers nothing


torch.optim.SGD(Model().parameters(), lr=0.1)
