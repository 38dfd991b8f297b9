import numpy as np

labels = np.random.randint(0, 50_000, size=20_000_000)
one_hot = np.zeros((20_000_000, 50_000))  # float64: 7.3 TiB
one_hot[np.arange(labels.size), labels] = 1
