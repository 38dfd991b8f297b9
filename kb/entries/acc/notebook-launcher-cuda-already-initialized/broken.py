from accelerate import Accelerator, notebook_launcher

accelerator = Accelerator()  # a cell of the notebook


def train():
    print(accelerator.device)


notebook_launcher(train, num_processes=2)
