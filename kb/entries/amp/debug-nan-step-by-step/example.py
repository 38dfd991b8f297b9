import torch
from torch.nn.functional import cross_entropy


def finite(tensors):
    return all(t.isfinite().all() for t in tensors if t is not None and t.is_floating_point())


def triage(model, x, y, loss_of, scale=65536.0):
    """The questions of this page in their order; the first that fails is the answer."""
    params = list(model.parameters())
    if not finite(params):
        return "weights: an earlier step ruined them, go back to an older checkpoint"
    if not finite([x]):
        return "input: the batch holds NaN or inf"
    for name, half in (("FP32", False), ("FP16", True)):
        with torch.autocast("cpu", dtype=torch.float16, enabled=half):
            loss = loss_of(model(x), y)
        if not finite([loss]):
            return f"{name} forward: " + ("an overflow at 65504" if half else "labels, log(0), 0 / 0; not a matter of precision")
        if not finite(torch.autograd.grad(loss, params, retain_graph=True)):
            return f"{name} backward: " + ("an overflow in the backward pass" if half else "an infinite derivative, such as sqrt at 0")
    if not finite(torch.autograd.grad(loss * scale, params)):
        return "scaled backward: the loss scale is too large, the scaler skips the step"
    return "finite: it does not come back; replay with the saved random state"


def ce(out, y):
    return cross_entropy(out.float(), y)


torch.manual_seed(0)
x, y = torch.randn(8, 4), torch.randint(0, 3, (8,))
model = torch.nn.Linear(4, 3)
bad, big = torch.nn.Linear(4, 3), torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 3))
with torch.no_grad():
    bad.weight[0, 0] = float("nan")
    big[0].weight.mul_(1e5)
    big[1].weight.mul_(1e-5)

print("1", triage(bad, x, y, ce))
print("2", triage(model, x.log(), y, ce))
print("3", triage(model, x, torch.full_like(y, -100), ce))
print("4", triage(model, x, y, lambda out, y: (out - out.detach()).float().pow(2).sum().sqrt()))
print("5", triage(big, x, y, ce))
print("6", triage(model, 100 * x, y, ce))
print("7", triage(model, x / 100, y, ce))
