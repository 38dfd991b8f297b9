import torch
import torch_npu  # registers the device

free, total = torch.npu.mem_get_info()
batch = torch.empty(free // 2, dtype=torch.uint8, device="npu")
print(batch.shape)
