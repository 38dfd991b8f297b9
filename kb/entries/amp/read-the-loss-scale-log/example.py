import torch


def trace(gradient, steps=20):
    """Loss scale after each step, for a weight whose true gradient is given."""
    weight = torch.nn.Parameter(torch.zeros(1, 1))
    optimizer = torch.optim.SGD([weight], lr=1e-6)
    scaler = torch.amp.GradScaler("cpu", growth_interval=4)  # 2000 by default; 4 makes the growth visible
    scales = []
    for step in range(steps):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            out = torch.nn.functional.linear(torch.full((64, 1), gradient(step)), weight)
        scaler.scale(out.float().mean()).backward()
        scaler.step(optimizer)
        scaler.update()
        scales.append(f"{scaler.get_scale():g}")
    return scales


print("healthy: ", *trace(lambda step: 1.0))
print("small:   ", *trace(lambda step: 1e-3))
print("large:   ", *trace(lambda step: 3000.0))
print("one bad: ", *trace(lambda step: float("nan") if step == 6 else 1.0))
print("broken:  ", *trace(lambda step: float("nan") if step >= 6 else 1.0))
print("too late:", *trace(lambda step: float("nan") if step < 200 else 1.0, 210)[-12:])
