import torch

total = torch.mps.recommended_max_memory()
torch.mps.set_per_process_memory_fraction(0.5)  # the limit of this process
outputs = []
for step in range(8):
    x = torch.ones(total // 32, device="mps")  # an eighth of the memory
    outputs.append(x)  # the list keeps every one of them
