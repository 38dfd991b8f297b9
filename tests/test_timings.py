import pytest

from errdex import timings
from errdex.timings import Step, Timings


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A clock that shows the first of these, again and again."""
    now = [100]
    monkeypatch.setattr(timings, "perf_counter_ns", lambda: now[0])
    return now


def test_what_lies_between_two_ends_belongs_to_the_later_one(clock: list[int]) -> None:
    watch = Timings()
    clock[0] = 130
    watch.end(Step.REDACT)
    clock[0] = 180
    watch.end(Step.READ)
    clock[0] = 190
    watch.end(Step.REDACT)
    assert (watch.spent[Step.REDACT], watch.spent[Step.READ]) == (40, 50)
    assert watch.seconds == pytest.approx(90e-9)


def test_a_pause_belongs_to_no_step(clock: list[int]) -> None:
    watch = Timings()
    clock[0] = 1_000
    watch.resume()
    clock[0] = 1_003
    watch.end(Step.RENDER)
    assert sum(watch.spent) == watch.spent[Step.RENDER] == 3


def test_each_step_has_its_place() -> None:
    assert [int(step) for step in Step] == list(range(len(Timings().spent)))
    assert [step.label for step in Step][:2] == ["redact", "read"]
