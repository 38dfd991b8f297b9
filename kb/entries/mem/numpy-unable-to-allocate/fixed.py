import numpy as np

labels = np.random.randint(0, 50_000, size=20_000_000)
for start in range(0, 4096, 1024):  # build what one batch needs
    part = labels[start : start + 1024]
    one_hot = np.zeros((part.size, 50_000), dtype=np.float32)
    one_hot[np.arange(part.size), part] = 1
