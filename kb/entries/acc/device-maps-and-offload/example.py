import torch
from accelerate import dispatch_model, infer_auto_device_map


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = torch.nn.Linear(64, 256), torch.nn.Linear(256, 64)

    def forward(self, x):
        return x + self.down(self.up(x).relu())


model = torch.nn.Sequential(*[Block() for _ in range(4)])  # 4 blocks of 130 KiB
whole = ["Block"]

# Planning needs no GPU: say what each device may hold. 0 and 1 are GPUs; a warning that they are absent is harmless.
for memory in ({0: "1MiB"}, {0: "300KB", 1: "300KB"}, {0: "300KB", "cpu": "1MiB"}):
    print(memory, dict(infer_auto_device_map(model, max_memory=memory, no_split_module_classes=whole)))
split = infer_auto_device_map(model, max_memory={0: "280KB", "cpu": "1MiB"})
print("without no_split_module_classes:", dict(split))
assert split["1.up"] == 0 and split["1.down"] == "cpu"

# Here the CPU plays the part of the GPU, and what does not fit goes to the disk.
x = torch.randn(8, 64)
expected = model(x)
device_map = infer_auto_device_map(model, max_memory={"cpu": "300KB"}, no_split_module_classes=whole)
model = dispatch_model(model, device_map=device_map, offload_dir="offload")
output = model(x)
assert torch.allclose(output, expected, atol=1e-5)  # inference: the same result

output.square().mean().backward()
trained = {name: block.up.weight.grad is not None for name, block in model.named_children()}
print("gradient:", trained)  # training: what is on the disk gets none
assert trained == {name: device_map[name] == "cpu" for name in trained}
