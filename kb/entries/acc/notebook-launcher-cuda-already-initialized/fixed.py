from accelerate import Accelerator, notebook_launcher


def train():
    accelerator = Accelerator()  # inside: every process makes its own
    print(accelerator.device)


notebook_launcher(train, num_processes=2)
