"""Print the versions that have to fit together: GPU, driver, the wheel's CUDA, toolkit."""

import ctypes
import shutil
import subprocess
import sys

import torch


def driver_serves() -> str:
    """The newest CUDA that the driver can serve; nvidia-smi shows the same number."""
    try:
        cuda = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return "no driver found"
    version = ctypes.c_int()
    cuda.cuDriverGetVersion(ctypes.byref(version))
    return f"{version.value // 1000}.{version.value % 1000 // 10}"


def last_line(*command: str) -> str:
    if shutil.which(command[0]) is None:
        return "not installed"
    lines = subprocess.run(command, capture_output=True, text=True).stdout.strip().splitlines()
    return lines[-1] if lines else "no answer"


print("driver:              ", last_line("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"))
print("driver serves CUDA:  ", driver_serves())
print("PyTorch:             ", torch.__version__)
print("CUDA in the wheel:   ", torch.version.cuda or "none, a CPU-only build")
print("code in the wheel:   ", " ".join(torch.cuda.get_arch_list()) or "none that can be used here")
print("toolkit (nvcc):      ", last_line("nvcc", "--version"))
for index in range(torch.cuda.device_count()):
    major, minor = torch.cuda.get_device_capability(index)
    print(f"GPU {index}:               ", torch.cuda.get_device_name(index), f"sm_{major}{minor}")
