"""Measures how reports of one error fall into rows of the store, on the labelled reports of bench/.

Every report is taken as if errdex had no entry for it: `python bench/unanswered/measure.py [--mixed] [--json]`.
"""

import argparse
import json
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date
from math import comb
from pathlib import Path

from errdex.benchmark import BENCH, read_lines, report_of
from errdex.catalog import load_catalog
from errdex.models import RootError, Status
from errdex.store import Batch, Store
from errdex.unanswered import Sighting, Unanswered, fingerprint_of, read_sighting


@dataclass(frozen=True)
class Clustering:
    """What was measured.

    Attributes:
        reports: labelled reports with an exception in them.
        errors: labels among them.
        wordings: pairs of type and message, as printed.
        keys: pairs of type and normalised message.
        rows: rows that they fill.
        purity: share of the reports whose row belongs mostly to their own error.
        pairs: pairs of reports that share a row.
        right_pairs: those of one error.
        repeated: errors of which there are several reports.
        rows_per_repeated: rows that one of these fills, on average.
        reports_per_repeated: reports of one of these, on average.
    """

    reports: int
    errors: int
    wordings: int
    keys: int
    rows: int
    purity: float
    pairs: int
    right_pairs: int
    repeated: int
    rows_per_repeated: float
    reports_per_repeated: float


@dataclass(frozen=True)
class Placed:
    """A report, and the row that it fell into."""

    error: str
    wording: tuple[str, str]
    key: str
    row: int


def labelled(unknown: bool) -> Iterator[tuple[str, str]]:
    """Error and text of every labelled report.

    Args:
        unknown: only those of errors that have no entry.
    """
    slugs = {entry.slug: [entry.id] for entry in load_catalog().active}
    labels = slugs | tomllib.loads((BENCH / "labels.toml").read_text(encoding="utf-8"))
    for case in read_lines(BENCH / "cases.jsonl"):
        if not unknown or case["family"] not in labels:
            yield labels.get(case["family"], [case["family"]])[0], case["text"]
    if not unknown:
        for case in read_lines(BENCH / "collected.jsonl"):
            if "entry" in case:
                yield case["entry"], case["text"]


def place(store: Store, reports: Iterator[tuple[str, str]]) -> list[Placed]:
    """Store every report that names an exception, and see where it went."""
    day = date(2026, 1, 1)
    told: list[tuple[str, tuple[str, str], Unanswered]] = []
    for error, text in reports:
        report = report_of(text)
        if report.root is None or report.is_question:
            continue
        raised = report.root
        root = RootError(type=raised.type, message=raised.message[:2000], rank=raised.rank, line=raised.line)
        seen = Sighting(day, Status.NO_MATCH, root, None, (), report.versions, "en", text)
        mark = fingerprint_of(seen)
        if mark is None:
            continue
        told.append((error, (raised.type, raised.message), read_sighting(seen, mark, sample=False)))
    rows = store.add(Batch({}, [item for _, _, item in told], []))
    return [Placed(error, wording, item.fingerprint.key, row) for (error, wording, item), row in zip(told, rows, strict=True)]


def measure(placed: list[Placed]) -> Clustering:
    """The figures."""
    rows: dict[int, Counter[str]] = defaultdict(Counter)
    errors: dict[str, Counter[int]] = defaultdict(Counter)
    for item in placed:
        rows[item.row][item.error] += 1
        errors[item.error][item.row] += 1
    repeated = [found for found in errors.values() if found.total() > 1]
    return Clustering(
        reports=len(placed),
        errors=len(errors),
        wordings=len({item.wording for item in placed}),
        keys=len({item.key for item in placed}),
        rows=len(rows),
        purity=round(sum(found.most_common(1)[0][1] for found in rows.values()) / len(placed), 4),
        pairs=sum(comb(found.total(), 2) for found in rows.values()),
        right_pairs=sum(comb(count, 2) for found in rows.values() for count in found.values()),
        repeated=len(repeated),
        rows_per_repeated=round(sum(len(found) for found in repeated) / max(1, len(repeated)), 2),
        reports_per_repeated=round(sum(found.total() for found in repeated) / max(1, len(repeated)), 2),
    )


def main() -> None:
    """Print the figures as JSON, and on request the rows that hold several errors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--unknown", action="store_true", help="only reports of errors that have no entry")
    parser.add_argument("--mixed", action="store_true", help="list the rows that hold several errors")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{Path(folder) / 'errdex.sqlite3'}")
        placed = place(store, labelled(chosen.unknown))
    sys.stdout.write(json.dumps(asdict(measure(placed)), indent=2) + "\n")
    if chosen.mixed:
        for row, items in sorted(_by_row(placed).items()):
            if len({item.error for item in items}) > 1:
                counts = Counter(item.error for item in items)
                sys.stdout.write(f"{row} {dict(counts)} {items[0].wording[0]}: {items[0].wording[1][:120]!r}\n")


def _by_row(placed: list[Placed]) -> dict[int, list[Placed]]:
    found: dict[int, list[Placed]] = defaultdict(list)
    for item in placed:
        found[item.row].append(item)
    return found


if __name__ == "__main__":
    main()
