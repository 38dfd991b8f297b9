import torch

half, bf16 = torch.float16, torch.bfloat16
t = torch.tensor

print("underflow:    1e-8 in FP16 =", t(1e-8, dtype=half).item(), "| scaled by 65536 first:", (t(1e-8) * 65536).to(half).item() / 65536)
print("overflow:     300 * 300 in FP16 =", (t(300.0, dtype=half) ** 2).item(), "| in BF16 =", (t(300.0, dtype=bf16) ** 2).item())
print("lost update:  1 + 0.0004 in FP16 =", (t(1.0, dtype=half) + 4e-4).item(), "| 1 + 0.003 in BF16 =", (t(1.0, dtype=bf16) + 3e-3).item())

for eps in (1e-8, 1e-4):  # Adam on FP16 weights
    weight = torch.nn.Parameter(torch.ones(1, dtype=half))
    optimizer = torch.optim.Adam([weight], lr=1e-3, eps=eps)
    weight.grad = torch.full_like(weight, 1e-5)
    optimizer.step()
    print(f"Adam eps={eps}: FP16 weight after one step =", weight.item())

a = torch.tensor([[12.0, 0.0]])
print("softmax:      exp(12) by hand in FP16 =", a.to(half).exp()[0, 0].item(), "| softmax:", a.to(half).softmax(-1)[0, 0].item())

for unscale_first in (False, True):  # clipping on both sides of unscale_()
    w = torch.nn.Parameter(torch.ones(4))
    optimizer, scaler = torch.optim.SGD([w], lr=1.0), torch.amp.GradScaler("cpu")
    scaler.scale((w * 0.01).sum()).backward()
    if unscale_first:
        scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_([w], 1.0)
    scaler.step(optimizer)
    print("clipping", "after " if unscale_first else "before", "unscale_: step of", 1 - w[0].item())
