import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # as on a machine without a GPU
import torch

scaler = torch.amp.GradScaler("cuda", enabled=torch.cuda.is_available())
print("scaler enabled:", scaler.is_enabled())
