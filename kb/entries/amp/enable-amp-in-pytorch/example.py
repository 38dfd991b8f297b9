import torch

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
dtype = torch.float16  # torch.bfloat16 on Ampere or newer: the scaler switches itself off
ACCUMULATE, MAX_NORM = 4, 1.0

model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=80)
scaler = torch.amp.GradScaler(device, enabled=dtype == torch.float16)
data = [(x, x.sum(1, keepdim=True)) for x in torch.randn(64, 8, 16)]

for epoch in range(5):
    total = 0.0
    for step, (x, y) in enumerate(data, start=1):
        x, y = x.to(device), y.to(device)
        with torch.amp.autocast(device, dtype=dtype):
            loss = torch.nn.functional.mse_loss(model(x), y) / ACCUMULATE
        scaler.scale(loss).backward()
        total += loss.item() * ACCUMULATE
        if step % ACCUMULATE == 0 or step == len(data):
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
            scaler.step(optimizer)
            before = scaler.get_scale()
            scaler.update()
            optimizer.zero_grad(set_to_none=True)
            if scaler.get_scale() >= before:  # the step was not skipped
                scheduler.step()
    print(f"epoch {epoch} loss {total / len(data):.3f} scale {scaler.get_scale():.0f}")

assert {p.dtype for p in model.parameters()} == {torch.float32}
with torch.inference_mode(), torch.amp.autocast(device, dtype=dtype):
    assert model(x).dtype == dtype
