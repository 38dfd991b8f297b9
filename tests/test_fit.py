from collections.abc import Sequence

import pytest

from errdex.benchmark import Case, report_of
from errdex.fit import _curve, _HeldOut, _Training
from errdex.lookup import Lookup
from errdex.ranking import Coefficients


def judged(confidence: float, *, right: bool, matched: bool = True) -> _HeldOut:
    return _HeldOut("question", confidence, right, known=True, signed=False, matched=matched)


def test_a_curve_counts_what_is_answered_and_wrong_from_each_threshold_on() -> None:
    curve = _curve([judged(0.9, right=True), judged(0.5, right=False), judged(0.1, right=False, matched=False)])
    assert [(p.threshold, p.answered, p.wrong) for p in curve.points] == [(0.0, 3, 2), (0.11, 2, 1), (0.51, 1, 0), (0.91, 0, 0)]
    assert (curve.texts, curve.matched, curve.matched_wrong) == (3, 2, 1)


def test_each_case_is_judged_once_by_a_fit_that_did_not_see_it(lookup: Lookup, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = lookup.index.entries[:30]
    cases = [Case(entry.id, entry.samples["hit-question-en.txt"], "sample", frozenset({entry.id})) for entry in entries]
    cases.append(Case("near", entries[0].samples["hit-question-en.txt"], "miss", frozenset(), refused=entries[1].id))
    reports = [report_of(case.text) for case in cases]
    training = _Training(cases, reports, [lookup.candidates(report, retrieved=20) for report in reports])
    fitted: list[set[int]] = []
    real = _Training.models

    def models(self: _Training, chosen: Sequence[int]) -> Coefficients:
        fitted.append(set(chosen))
        return real(self, chosen)

    monkeypatch.setattr(_Training, "models", models)
    judged = training.held_out({"match": 0.5})
    assert len(judged) == len(entries)
    assert sum(item.right for item in judged) > len(entries) / 2
    held = [set(range(len(cases))) - chosen for chosen in fitted]
    assert sorted(position for fold in held for position in fold) == list(range(len(cases)))
