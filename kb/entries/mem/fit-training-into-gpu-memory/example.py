import torch
from torch.utils.checkpoint import checkpoint


def mib(tensors):
    return sum(t.numel() * t.element_size() for t in tensors) / 2**20


def states(dtype, lr=1e-3):
    """Bytes per parameter of weights, gradients and AdamW states after one step."""
    model = torch.nn.Linear(1024, 1024, bias=False, dtype=dtype)
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    model(torch.randn(2, 1024, dtype=dtype)).sum().backward()
    optimizer.step()
    weights = list(model.parameters())
    moments = [t for s in optimizer.state.values() for t in s.values() if t.numel() > 1]
    parts = [mib(weights), mib([p.grad for p in weights]), mib(moments)]  # 2**20 parameters: MiB = bytes each
    return parts + [sum(parts)]


def activations(batch, checkpointed):
    """MiB that autograd saves for the backward pass of eight blocks, the weights left out."""
    blocks = [torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.GELU(), torch.nn.Linear(1024, 256)) for _ in range(8)]
    weights = {p.data_ptr() for b in blocks for p in b.parameters()}
    saved = {}

    def pack(t):
        if t.data_ptr() not in weights:
            saved[t.data_ptr()] = t
        return t

    x = torch.randn(batch, 256, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        for block in blocks:
            x = checkpoint(block, x, use_reentrant=False) if checkpointed else block(x)
    x.sum().backward()
    return mib(saved.values())


print("bytes per parameter [weights, gradients, AdamW, sum]")
print("  FP32 (also with autocast):", states(torch.float32))
print("  the same, lr / 100       :", states(torch.float32, lr=1e-5))
print("  everything in BF16       :", states(torch.bfloat16))
print("7B parameters at 16 bytes  :", round(7e9 * 16 / 2**30), "GiB before any activation")
print("activations, MiB")
print(f"  batch 512                : {activations(512, False):.1f}")
print(f"  micro-batch 128          : {activations(128, False):.1f}")
print(f"  batch 512, checkpointing : {activations(512, True):.1f}")
