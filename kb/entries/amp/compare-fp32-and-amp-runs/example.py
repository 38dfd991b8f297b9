import torch


def build(seed=0):
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))


def train(dtype=None, seed=0, steps=200):
    model = build(seed)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = torch.Generator().manual_seed(1)  # the same batches in every run
    losses = []
    for _ in range(steps):
        x = torch.randn(64, 16, generator=data)
        with torch.autocast("cpu", dtype=dtype or torch.bfloat16, enabled=dtype is not None):
            prediction = model(x)
        loss = torch.nn.functional.mse_loss(prediction.float(), x[:, :1].sin())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return torch.tensor(losses)


def gap(a, b):
    return f"{(a[-50:].mean() - b[-50:].mean()).abs() / a[-50:].mean():.0e}"


model, x = build(), torch.randn(256, 16)
with torch.no_grad():
    reference = model(x)
    for dtype in (torch.float16, torch.bfloat16):
        with torch.autocast("cpu", dtype=dtype):
            error = (model(x).float() - reference).norm() / reference.norm()
        print(f"outputs, {dtype}: relative error {error:.0e}")

fp32 = train()
print("training, FP32 twice:     ", "identical" if torch.equal(fp32, train()) else "different")
print("training, BF16 autocast:  ", gap(fp32, train(torch.bfloat16)))
print("training, FP32, new seed: ", gap(fp32, train(seed=1)))
a, b, c = torch.tensor([1e8, 1.0, -1e8])
print("FP32 sum in two orders:   ", (a + b + c).item(), "and", (a + c + b).item())
