"""Percentiles, rates and their ratios, with intervals from resampled blocks."""

from collections.abc import Callable, Sequence

import numpy as np

from bench.speed.client import Load
from errdex.speed import Estimate

Blocks = Sequence[Load]
_RESAMPLES = 1000


def percentile(blocks: Blocks, percent: float) -> float:
    """A percentile of all answers of some blocks, in milliseconds."""
    return float(np.percentile(np.concatenate([block.times for block in blocks]), percent))


def p50(blocks: Blocks) -> float:
    """The median."""
    return percentile(blocks, 50)


def rate(blocks: Blocks) -> float:
    """Answers per second."""
    return sum(len(block.took) for block in blocks) / sum(block.seconds for block in blocks)


def tail(blocks: Blocks) -> float:
    """How many times the median the slowest of a hundred takes."""
    return percentile(blocks, 99) / percentile(blocks, 50)


def estimate(*sides: Blocks, of: Callable[..., float], seed: int = 0) -> Estimate:
    """A figure of one or two cells with its 95 % interval.

    Answers of one block are alike, since the machine was in one state; so whole blocks are drawn, and of two cells
    those of the same turn.

    Args:
        sides: the blocks of each cell, turn by turn.
        of: the figure.
        seed: of the draws.
    """
    turns = min(len(side) for side in sides)
    rng = np.random.default_rng(seed)
    drawn = []
    for _ in range(_RESAMPLES):
        places = rng.integers(0, turns, turns)
        drawn.append(of(*([side[place] for place in places] for side in sides)))
    low, high = np.percentile(drawn, (2.5, 97.5))
    return Estimate(value=of(*sides), low=float(low), high=float(high))


def ratio(figure: Callable[[Blocks], float]) -> Callable[[Blocks, Blocks], float]:
    """The figure of the first cell over that of the second."""
    return lambda first, second: figure(first) / figure(second)


def median_of(values: Sequence[float], seed: int = 0) -> Estimate:
    """The median of some single measurements with its 95 % interval."""
    rng = np.random.default_rng(seed)
    drawn = np.median(rng.choice(np.asarray(values), (_RESAMPLES, len(values))), axis=1)
    low, high = np.percentile(drawn, (2.5, 97.5))
    return Estimate(value=float(np.median(values)), low=float(low), high=float(high))
