import torch
from torch.utils._python_dispatch import TorchDispatchMode


def watch(model, found):
    def hook(name):
        def check(module, args, output):
            if torch.is_tensor(output) and not output.isfinite().all():
                found.append(f"{name} {type(module).__name__} {output.dtype}")
        return check
    return [m.register_forward_hook(hook(n or "model")) for n, m in model.named_modules()]


class FirstNonFinite(TorchDispatchMode):
    op = None

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if self.op is None and torch.is_tensor(out) and out.is_floating_point() and not out.isfinite().all():
            self.op = str(func)
        return out


torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU(), torch.nn.Linear(8, 8), torch.nn.LayerNorm(8))
with torch.no_grad():
    model[2].weight.mul_(1e5)  # outputs beyond 65504: too large for FP16, harmless in FP32
x = 10 * torch.randn(4, 8)

found = []
handles = watch(model, found)
with FirstNonFinite() as mode, torch.autocast("cpu", dtype=torch.float16):
    out = model(x)
print("first module:", found[0])
print("first operation:", mode.op)
for h in handles:
    h.remove()

print("FP32 maximum there:", model[:3](x).abs().max().item())
