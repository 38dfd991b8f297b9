import numpy as np
import pytest

from bench.speed.client import Load
from bench.speed.spread import estimate, median_of, p50, percentile, rate, ratio, tail


def blocks(centre: float, turns: int, drift: float = 0.0, seed: int = 1) -> list[Load]:
    rng = np.random.default_rng(seed)
    return [
        Load(took=list(rng.normal(centre * (1 + drift * turn), centre / 20, 50)), seconds=centre / 20) for turn in range(turns)
    ]


def test_percentiles_take_all_answers_together() -> None:
    both = [Load([1.0, 2.0], 1.0), Load([3.0, 4.0, 5.0], 1.0)]
    assert p50(both) == 3.0
    assert percentile(both, 100) == 5.0
    assert rate(both) == 2.5
    assert tail([Load([1.0] * 99 + [9.0], 1.0)]) == pytest.approx(1.08)


def test_the_interval_of_a_ratio_holds_it() -> None:
    found = estimate(blocks(10.0, 10), blocks(2.0, 10, seed=2), of=ratio(p50))
    assert found.low <= found.value <= found.high
    assert found.low < 5.0 < found.high
    assert found.high - found.low < 0.5


def test_a_drift_of_the_machine_leaves_a_ratio_alone() -> None:
    slow, fast = blocks(10.0, 10, drift=0.3), blocks(2.0, 10, drift=0.3, seed=2)
    together = estimate(slow, fast, of=ratio(p50))
    apart = estimate(slow, fast[::-1], of=ratio(p50))
    assert together.high - together.low < (apart.high - apart.low) / 3


def test_more_noise_makes_a_wider_interval() -> None:
    calm, wild = median_of([1.0, 1.01, 0.99, 1.0, 1.02]), median_of([1.0, 1.9, 0.4, 1.0, 2.2])
    assert calm.value == wild.value == 1.0
    assert wild.high - wild.low > calm.high - calm.low
