from pathlib import Path

import torch

pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1000\n"
Path("weights.pt").write_text(pointer)  # what git clone leaves without git lfs

torch.load("weights.pt", weights_only=False)
