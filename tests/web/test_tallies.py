import pytest

from errdex.lookup import Lookup
from errdex.timings import Step, Timings
from errdex.web.tallies import Histogram, Tallies


@pytest.mark.parametrize(("value", "place"), [(0.0, 0), (1.0, 0), (1.01, 1), (2.0, 1), (2.01, 2), (1e9, 2)])
def test_a_value_counts_below_the_first_bound_that_holds_it(value: float, place: int) -> None:
    histogram = Histogram((1.0, 2.0))
    histogram.add(value)
    assert (histogram.counts.index(1), sum(histogram.counts), histogram.total) == (place, 1, value)


def test_an_answer_is_counted_by_status_and_by_what_found_it(lookup: Lookup) -> None:
    tallies = Tallies()
    for text in ("ValueError: Attempting to unscale FP16 gradients.", "nothing of note happened at /home/ann today"):
        timings = Timings()
        tallies.answered(lookup.answer(text, timings=timings), timings)
    signed = lookup.answer("ValueError: Attempting to unscale FP16 gradients.")
    tallies.answered(signed.model_copy(update={"degraded": True}), Timings())
    assert tallies.lookups == {("match", "signature"): 2, ("no_match", "none"): 1}
    assert (tallies.redactions, tallies.degraded) == (1, 1)


def test_steps_that_were_not_needed_are_not_counted(lookup: Lookup) -> None:
    signed, again, asked = Tallies(), Tallies(), Tallies()
    known = "ValueError: Attempting to unscale FP16 gradients. (asked by the test of steps)"
    for tallies, text in ((signed, known), (again, known), (asked, "why is my loss nan with fp16 in the test of steps?")):
        timings = Timings()
        tallies.answered(lookup.answer(text, timings=timings), timings)
    counts = {step.label: [sum(told.step_seconds[step].counts) for told in (signed, again, asked)] for step in Step}
    assert counts["words"] == counts["model"] == [0, 0, 1]
    assert counts["redact"] == counts["read"] == counts["signatures"] == [1, 0, 1]  # what is asked again is not read again
    assert counts["rank"] == counts["render"] == [1, 1, 1]
