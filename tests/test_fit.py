from errdex.fit import _curve, _HeldOut


def judged(confidence: float, *, right: bool, matched: bool = True) -> _HeldOut:
    return _HeldOut("question", confidence, right, known=True, signed=False, matched=matched)


def test_a_curve_counts_what_is_answered_and_wrong_from_each_threshold_on() -> None:
    curve = _curve([judged(0.9, right=True), judged(0.5, right=False), judged(0.1, right=False, matched=False)])
    assert [(p.threshold, p.answered, p.wrong) for p in curve.points] == [(0.0, 3, 2), (0.11, 2, 1), (0.51, 1, 0), (0.91, 0, 0)]
    assert (curve.texts, curve.matched, curve.matched_wrong) == (3, 2, 1)
