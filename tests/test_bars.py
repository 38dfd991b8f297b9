import pytest

from errdex.bars import BARS, Bar, interval, judge, written
from errdex.speed import Estimate
from tests.made import made_speed

AT_LEAST = Bar("a", "a", 10, at_least=True)
AT_MOST = Bar("b", "b", 10, at_least=False, unit=" ms")


@pytest.mark.parametrize(
    ("low", "high", "at_least", "at_most"),
    [(11, 12, True, False), (9, 12, False, False), (8, 9, False, True), (10, 10, True, True)],
)
def test_a_bar_is_met_only_by_the_whole_interval(low: float, high: float, at_least: bool, at_most: bool) -> None:
    found = Estimate(value=(low + high) / 2, low=low, high=high)
    assert AT_LEAST.met_by(found) is at_least
    assert AT_MOST.met_by(found) is at_most


def test_each_bar_has_its_verdict() -> None:
    words = {verdict.bar.figure: verdict.word for verdict in judge(made_speed())}
    assert set(words) == {bar.figure for bar in BARS}
    assert words["signed_p50"] == "met"
    assert words["start"] == "missed"
    assert words["resident"] == "met"
    assert words["new_gain_txtai"] == "not measured"


def test_numbers_are_written_to_three_figures() -> None:
    assert [written(value, " ms") for value in (0.614, 3.724, 33.19, 2161.0)] == ["0.61 ms", "3.72 ms", "33.2 ms", "2,161 ms"]
    assert interval(Estimate(value=2, low=1.5, high=2.5), "x") == "2.00x (1.50 to 2.50)"
    assert interval(Estimate(value=2, low=2, high=2), "x") == "2.00x"
    assert (AT_LEAST.promise, AT_MOST.promise) == ("at least 10.0x", "at most 10.0 ms")
