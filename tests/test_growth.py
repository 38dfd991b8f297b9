"""Twice the text takes about twice the time, whatever the text is made of; `make growth` measures it to a megabyte."""

import pytest

from bench.growth.measure import cost, stages
from bench.growth.shapes import NAMED, shapes
from errdex.lookup import Lookup

SIZE = 24_000  # bytes; a quadratic step of a millisecond here is a second at a megabyte
# Wide: a quadratic stage takes four times as long, and single times on a busy machine are off by half.
MOST = 3.0
RUNS = 5
# One of each family of pieces, in one line and in lines; all of them are measured by `make growth`.
FEW = tuple(NAMED) + tuple(name for number, name in enumerate(shapes()) if number % 12 == 0 and name not in NAMED)


@pytest.fixture(scope="module")
def without_model(lookup: Lookup) -> Lookup:
    return Lookup(lookup.index, encoder=None)


@pytest.mark.parametrize("name", FEW)
def test_time_grows_with_length_and_no_faster(without_model: Lookup, name: str) -> None:
    answer = stages(without_model)["answer"]
    shape = shapes()[name]
    once, twice = shape(SIZE), shape(2 * SIZE)
    # Only where the first measure exceeds it is it worth more runs.
    ratios = (cost(answer, twice, runs) / cost(answer, once, runs) for runs in (1, RUNS, 2 * RUNS))
    assert any(ratio <= MOST for ratio in ratios)


def test_there_are_many_shapes() -> None:
    assert len(shapes()) > 400
    assert all(4500 < len(shape(5000).encode()) < 7000 for shape in NAMED.values())
