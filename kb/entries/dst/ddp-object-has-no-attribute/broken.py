import torch
import torch.distributed as dist


class Model(torch.nn.Linear):
    config = {"hidden_size": 4}


dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
model = torch.nn.parallel.DistributedDataParallel(Model(4, 1))
print(model.config)
