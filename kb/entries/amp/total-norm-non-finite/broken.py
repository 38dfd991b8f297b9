import torch

weight = torch.nn.Parameter(torch.ones(1, 1))
scaler = torch.amp.GradScaler("cpu")  # the scale starts at 65536
optimizer = torch.optim.SGD([weight], lr=0.1)

with torch.autocast("cpu", dtype=torch.float16):
    out = torch.nn.functional.linear(torch.full((64, 1), 10.0), weight)
scaler.scale(out.float().mean()).backward()  # 10 * 65536 is too large for FP16
scaler.unscale_(optimizer)
torch.nn.utils.clip_grad_norm_([weight], 1.0, error_if_nonfinite=True)
scaler.step(optimizer)
