"""Fits the ranking on labelled texts, and says how it does on texts kept out of the fit."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from errdex.benchmark import BENCH, Case, load_cases, read_lines, report_of
from errdex.catalog import Catalog, load_catalog
from errdex.encoder import load_encoder
from errdex.features import RETRIEVAL_FEATURES, WORD_FEATURES
from errdex.index import build_index, previous_index
from errdex.lookup import Lookup
from errdex.models import Status
from errdex.ranking import (
    SIGNED,
    Candidate,
    Coefficients,
    Tier,
    load_coefficients,
    rank,
    status_of,
)
from errdex.report import Report
from errdex.scores import Curve, Point
from errdex.settings import Settings

_FOLDS = 5
_PRECISION_WANTED = 0.985  # of what is answered with `match`, on reports held out of the fit
PUBLIC_KINDS = ("traceback", "message", "log", "question")  # of the labelled reports and the foreign inputs
_SILENCE_WANTED = 0.9  # share of texts without an entry that get `no_match` rather than candidates


def _training_cases(catalog: Catalog) -> list[Case]:
    """Labelled reports, foreign inputs, and the entries' own questions and near misses."""
    cases, foreign = load_cases(catalog)
    samples: list[Case] = []
    for entry in catalog.active:
        for name, text in entry.samples.items():
            if name.startswith("hit-question"):
                samples.append(Case(f"{entry.id}:{name}", text, "sample", frozenset({entry.id})))
            elif name.startswith("miss-"):
                samples.append(Case(f"{entry.id}:{name}", text, "miss", frozenset(), refused=entry.id))
    return cases + foreign + samples + _collected(BENCH)


def _collected(bench: Path) -> list[Case]:
    """Reports and questions found while the signatures were tried; `not` names the entry that would be wrong."""
    return [
        Case(raw["id"], raw["text"], "collected", frozenset({raw["entry"]} if "entry" in raw else ()), raw.get("not"))
        for raw in read_lines(bench / "collected.jsonl")
    ]


class _HeldOut(NamedTuple):
    """The first candidate for a case that took no part in the fit, and whether a lookup would call it a match."""

    kind: str
    confidence: float
    right: bool
    known: bool
    signed: bool
    matched: bool


@dataclass(frozen=True)
class _Training:
    """The cases, what was read in each, every candidate for it, and the features that may count."""

    cases: list[Case]
    reports: list[Report]
    found: list[list[Candidate]]
    names: tuple[str, ...] = RETRIEVAL_FEATURES

    def models(self, chosen: Sequence[int]) -> Coefficients:
        """Both models, fitted on the chosen cases."""
        from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]  # it ships no types

        judged = [
            (c, c.entry.id in self.cases[i].wanted)
            for i in chosen
            for c in self.found[i]
            if self.cases[i].refused in (None, c.entry.id)
        ]
        pairs = [(c, right) for c, right in judged if c.tier is Tier.RETRIEVED and not c.features.get("generic")]
        model = LogisticRegression(C=1.0, fit_intercept=False, max_iter=5000)
        model.fit(
            np.array([[c.features.get(name, 0.0) for name in self.names] for c, _ in pairs]),
            np.array([right for _, right in pairs]),
        )
        weights = {name: round(float(w), 4) for name, w in zip(self.names, model.coef_[0], strict=True)}
        # Near misses are made to mislead: they say nothing of how often a signature is right.
        firsts = [
            (c, c.entry.id in self.cases[i].wanted)
            for i in chosen
            if self.cases[i].refused is None
            for c in _foremost(self.found[i])
        ]
        return Coefficients(match=0.5, candidates=0.1, signature=_shares(firsts), retrieval=weights)

    def held_out(self, thresholds: dict[str, float]) -> list[_HeldOut]:
        """Each case judged by models that did not see it."""
        from sklearn.model_selection import KFold  # type: ignore[import-untyped]  # it ships no types

        judged: list[_HeldOut] = []
        for train, test in KFold(_FOLDS, shuffle=True, random_state=0).split(self.cases):
            fitted = self.models([int(i) for i in train]).model_copy(update=thresholds)
            judged += [item for i in test if (item := self._judge(int(i), fitted))]
        return judged

    def _judge(self, position: int, fitted: Coefficients) -> _HeldOut | None:
        case = self.cases[position]
        ranked = rank(self.found[position], fitted)
        if not ranked or case.refused is not None:
            return None
        first = ranked[0].candidate
        status, _ = status_of(ranked, self.reports[position], fitted)
        return _HeldOut(
            case.kind,
            ranked[0].confidence,
            first.entry.id in case.wanted,
            bool(case.wanted),
            first.tier > Tier.RETRIEVED,
            status is Status.MATCH,
        )


def _training(settings: Settings) -> _Training:
    catalog = load_catalog(settings.kb)
    encoder = load_encoder(settings.encoder)
    # Nothing of an older fit may matter, and its features may have had other names.
    blank = Coefficients(
        match=1,
        candidates=0,
        signature=dict.fromkeys(SIGNED, 0.0),
        retrieval=dict.fromkeys(RETRIEVAL_FEATURES, 0.0),
    )
    lookup = Lookup(build_index(catalog, encoder, previous=previous_index(settings.index)), encoder, coefficients=blank)
    cases = _training_cases(catalog)
    reports = [report_of(case.text) for case in cases]
    return _Training(cases, reports, [lookup.candidates(report, retrieved=len(lookup.index.entries)) for report in reports])


def fit_coefficients(settings: Settings) -> dict[str, Coefficients]:
    """Fit the ranking with the model and without it, and choose the thresholds on held-out cases.

    Returns:
        The two objects of `ranking.json`.

    Raises:
        ErrdexError: the labelled reports are not there.
    """
    training = _training(settings)
    return {
        "with_model": _fitted(training),
        "without_model": _fitted(replace(training, names=WORD_FEATURES)),
    }


def _fitted(training: _Training) -> Coefficients:
    held_out = training.held_out({})
    thresholds = {"match": _match_threshold(held_out), "candidates": _candidates_threshold(held_out)}
    return training.models(range(len(training.cases))).model_copy(update=thresholds)


def held_out_curves(settings: Settings) -> dict[str, Curve]:
    """How often the first answer is wrong as the threshold rises: for public reports, and for questions and collected texts.

    Raises:
        ErrdexError: the labelled reports are not there.
    """
    current = load_coefficients()
    judged = _training(settings).held_out({"match": current.match, "candidates": current.candidates})
    public = [item for item in judged if item.kind in PUBLIC_KINDS]
    return {"public": _curve(public), "collected": _curve([item for item in judged if item.kind not in PUBLIC_KINDS])}


def _curve(judged: Sequence[_HeldOut]) -> Curve:
    points: list[Point] = []
    for hundredth in range(101):
        wrong = [not item.right for item in judged if 100 * item.confidence >= hundredth]
        if not points or points[-1].answered != len(wrong):
            points.append(Point(threshold=hundredth / 100, answered=len(wrong), wrong=sum(wrong)))
    matched = [item.right for item in judged if item.matched]
    return Curve(texts=len(judged), points=points, matched=len(matched), matched_wrong=matched.count(False))


def _foremost(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those of the highest tier: what a report is answered with."""
    highest = max((c.tier for c in candidates), default=None)
    return [c for c in candidates if c.tier is highest]


def _shares(judged: Sequence[tuple[Candidate, bool]]) -> dict[str, float]:
    """For each tier of signatures the share of right ones, with one of each kind added: few cases prove little."""
    shares: dict[str, float] = {}
    for tier in SIGNED:
        verdicts = [right for candidate, right in judged if candidate.tier.name.lower() == tier]
        shares[tier] = round((sum(verdicts) + 1) / (len(verdicts) + 2), 4)
    return shares


def _match_threshold(held_out: Sequence[_HeldOut]) -> float:
    """The lowest confidence from which on what rests on words and meaning is right often enough."""
    ordered = sorted((item for item in held_out if not item.signed), key=lambda item: -item.confidence)
    best, right = 0.9, 0
    for count, item in enumerate(ordered, start=1):
        right += item.right
        if right / count >= _PRECISION_WANTED:
            best = item.confidence
    return round(max(best, 0.5), 3)


def _candidates_threshold(held_out: Sequence[_HeldOut]) -> float:
    """The lowest hundredth at which most texts without an entry get nothing rather than something."""
    strangers = [item.confidence for item in held_out if not item.known and not item.signed]
    for hundredth in range(5, 30):
        if sum(100 * confidence < hundredth for confidence in strangers) >= _SILENCE_WANTED * len(strangers):
            return hundredth / 100
    return 0.3
