# torchrun --nproc-per-node 2 broken.py
import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy

dist.init_process_group("nccl")
torch.cuda.set_device(dist.get_rank())
layers = [torch.nn.Linear(4096, 4096) for _ in range(7)] + [torch.nn.Linear(4096, 16384)]
model = FSDP(torch.nn.Sequential(*layers), auto_wrap_policy=ModuleWrapPolicy({torch.nn.Linear}), device_id=dist.get_rank())
torch.cuda.set_per_process_memory_fraction(960 * 2**20 / torch.cuda.mem_get_info()[1])  # shards take 352 MiB
state = model.state_dict()  # every rank collects all 704 MiB on its GPU
