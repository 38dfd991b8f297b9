import torch

for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float8_e4m3fn):
    info = torch.finfo(dtype)
    print(f"{str(dtype):22} max {info.max:9.3g}  smallest normal {info.smallest_normal:9.3g}  step at 1.0 {info.eps:9.3g}")


def mode():
    if not torch.cuda.is_available():
        return "fp32 on this CPU; bf16 autocast only if a timing shows a gain"
    major, minor = torch.cuda.get_device_capability()
    if major >= 8:
        return "bf16 autocast, no GradScaler" + ("; fp8 is possible" if (major, minor) >= (8, 9) else "")
    return "fp16 autocast with GradScaler" if major == 7 else "fp32"


print(mode())
assert torch.isinf(torch.tensor(70000.0).half()) and torch.isfinite(torch.tensor(70000.0).bfloat16())
assert torch.tensor(1e-8).half() == 0 and torch.tensor(1e-8).bfloat16() > 0
assert torch.tensor(1.0).bfloat16() + 0.003 == 1 and torch.tensor(1.0).half() + 0.003 > 1
