from accelerate import Accelerator, notebook_launcher


def train():
    print("training on", Accelerator().device)


notebook_launcher(train, num_processes=1)
