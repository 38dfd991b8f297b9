"""Made vectors: as near to each other as real passages are, in any number."""

import numpy as np
from numpy.typing import NDArray

_MIXED = 0.4  # the largest share of a second passage
_NOISE = 0.5  # of the spread of real passages, in every direction as much as these differ in it
_AT_ONCE = 1 << 15


def like(rows: NDArray[np.float32], count: int, random: np.random.Generator, noise: float = _NOISE) -> NDArray[np.float32]:
    """Unit vectors made of real ones, shape (count, dimension).

    Each is a real one, mixed with up to 40 % of another and moved by noise with the covariance of the real ones.

    Args:
        rows: real unit vectors, shape (any, dimension).
        count: how many to make.
        random: chance.
        noise: how far they are moved, as a share of the standard deviation of the real ones.
    """
    variances, directions = np.linalg.eigh(np.cov(rows.T))
    spread = (directions * np.sqrt(np.clip(variances, 0, None))).astype(np.float32)  # (dimension, dimension)
    made = np.empty((count, rows.shape[1]), np.float32)
    for start in range(0, count, _AT_ONCE):
        several = min(_AT_ONCE, count - start)
        one, two = random.integers(0, len(rows), (2, several))
        share = random.uniform(1 - _MIXED, 1, (several, 1)).astype(np.float32)
        moved = random.standard_normal((several, rows.shape[1]), np.float32) @ spread.T
        made[start : start + several] = unit(share * rows[one] + (1 - share) * rows[two] + noise * moved)
    return made


def anywhere(count: int, dimension: int, random: np.random.Generator) -> NDArray[np.float32]:
    """Unit vectors in every direction alike, shape (count, dimension): nothing is near to anything."""
    made = np.empty((count, dimension), np.float32)
    for start in range(0, count, _AT_ONCE):
        several = min(_AT_ONCE, count - start)
        made[start : start + several] = unit(random.standard_normal((several, dimension), np.float32))
    return made


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length 1."""
    scaled: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return scaled.astype(np.float32, copy=False)
