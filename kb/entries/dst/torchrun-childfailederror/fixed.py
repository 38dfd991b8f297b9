from torch.distributed.launcher.api import LaunchConfig, elastic_launch


def train():
    print("training")


if __name__ == "__main__":
    config = LaunchConfig(1, 1, nproc_per_node=2, rdzv_backend="c10d", rdzv_endpoint="localhost:0", max_restarts=0)
    elastic_launch(config, train)()
