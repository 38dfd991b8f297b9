import torch

if torch.cuda.is_available():
    device = "cuda"
elif torch.backends.mps.is_available():
    device = "mps"
else:
    device = "cpu"
print("device:", device)

operations = {
    "matmul": lambda x: x @ x,
    "layer_norm": lambda x: torch.nn.functional.layer_norm(x, x.shape[-1:]),
    "cdist": lambda x: torch.cdist(x, x),
    "svd": lambda x: torch.linalg.svd(x),
}
for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64):
    for name, operation in operations.items():
        try:
            operation(torch.rand(4, 4, dtype=torch.float32).to(device).to(dtype))
            print(f"{name:12}{dtype}  ok")
        except (RuntimeError, TypeError, NotImplementedError) as error:
            print(f"{name:12}{dtype}  {str(error).splitlines()[0]}")
