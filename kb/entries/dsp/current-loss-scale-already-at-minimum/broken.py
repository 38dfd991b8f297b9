import torch
from deepspeed.runtime.fp16.loss_scaler import CreateLossScaler

args = {"init_scale": 1, "min_scale": 1, "scale_window": 1000, "delayed_shift": 1, "consecutive_hysteresis": False}
weight = torch.full((1,), 300.0, dtype=torch.float16, requires_grad=True)
scaler = CreateLossScaler(weight.dtype, 0, True, args)

scaler.backward((weight**3).sum())  # gradient 3 * 300 * 300 = 270000, infinite in FP16 even at scale 1
scaler.update_scale(overflow=not weight.grad.isfinite().all())
