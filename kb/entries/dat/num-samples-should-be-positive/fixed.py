from pathlib import Path
from torch.utils.data import DataLoader

Path("images").mkdir(exist_ok=True)
Path("images/cat.JPG").touch()
files = [p for p in Path("images").iterdir() if p.suffix.lower() == ".jpg"]
loader = DataLoader(files, batch_size=4, shuffle=True)
print(len(loader))
