import torch
from accelerate import Accelerator


def library(parameters, gpu_gib, gpus):
    state = parameters * 16 / 2**30  # FP32 weights, gradients and two Adam moments; activations come on top
    if state < 0.6 * gpu_gib:
        return "accelerate" if gpus > 1 else "torch.amp alone, or accelerate"
    if state < 0.6 * gpu_gib * gpus:
        return "FSDP through accelerate"
    return "LoRA, or DeepSpeed / FSDP with CPU offload"


accelerator = Accelerator(cpu=True)
model = torch.nn.Linear(512, 512)
optimizer = torch.optim.AdamW(model.parameters())
model, optimizer = accelerator.prepare(model, optimizer)
accelerator.backward(model(torch.randn(4, 512)).square().mean())
optimizer.step()

weights = list(model.parameters())
held = weights + [p.grad for p in weights] + [optimizer.state[p][k] for p in weights for k in ("exp_avg", "exp_avg_sq")]
print(sum(t.nbytes for t in held) / sum(p.numel() for p in weights), "bytes per parameter")
assert sum(t.nbytes for t in held) == 16 * sum(p.numel() for p in weights)

for parameters, gpu_gib, gpus in ((350e6, 24, 1), (1e9, 80, 8), (7e9, 80, 4), (70e9, 80, 8)):
    print(f"{parameters / 1e9:5.2f} B parameters, {gpus} x {gpu_gib} GiB: {library(parameters, gpu_gib, gpus)}")
