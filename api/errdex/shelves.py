"""Entries put side by side by what they share: area, library, exception or code, the most reported first."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from errdex.benchmark import load_cases
from errdex.catalog import Catalog
from errdex.codes import Kind, entry_codes
from errdex.entry import AREAS, Entry

Family = Literal["area", "library", "exception", "code"]


@dataclass(frozen=True)
class Shelf:
    """Entries that share something.

    Attributes:
        name: what they share, as it is written in logs or in `entry.toml`.
        path: where their list stands below each language (`library/torch`).
        entries: the entries.
        kind: of a code, what kind it is of.
    """

    name: str
    path: str
    entries: list[Entry]
    kind: Kind | None = None


def report_counts(catalog: Catalog, bench: Path) -> Counter[str]:
    """How many of the labelled reports each entry answers; empty where there are none to count.

    Args:
        catalog: what the labels refer to.
        bench: the folder of the labelled reports, which only a checkout has.
    """
    if not (bench / "cases.jsonl").is_file():
        return Counter()
    reports, _ = load_cases(catalog, bench)
    return Counter(entry_id for report in reports for entry_id in report.wanted)


class Shelves:
    """All lists of the active entries.

    Attributes:
        reports: labelled reports per id.
        entries: all of them, the most reported first.
    """

    def __init__(self, catalog: Catalog, reports: Counter[str] | None = None) -> None:
        self.reports: Counter[str] = reports or Counter()
        self.entries = sorted(catalog.active, key=lambda e: (-self.reports[e.id], e.id))
        self.guides = [entry for entry in self.entries if entry.kind == "guide"]
        self.families: dict[Family, list[Shelf]] = {
            "area": [s for a in AREAS if (s := Shelf(a, f"{a}/index", [e for e in self.entries if e.area == a])).entries],
            "library": self._by("library", lambda entry: entry.products),
            "exception": self._by("exception", lambda entry: entry.exceptions),
            "code": self._by_code(),
        }

    def _by(self, family: Family, names: Callable[[Entry], Iterable[str]]) -> list[Shelf]:
        """One shelf per name, the fullest first."""
        found: dict[str, list[Entry]] = {}
        for entry in self.entries:
            for name in dict.fromkeys(names(entry)):
                found.setdefault(name, []).append(entry)
        shelves = (Shelf(name, f"{family}/{name}", entries) for name, entries in found.items())
        return sorted(shelves, key=lambda s: (-len(s.entries), s.name.lower(), s.name))

    def _by_code(self) -> list[Shelf]:
        codes = {entry.id: entry_codes(entry) for entry in self.entries}
        every = sorted({code for own in codes.values() for code in own}, key=lambda code: code.order)
        return [
            Shelf(code.label, f"code/{code.kind}/{code.value}", [e for e in self.entries if code in codes[e.id]], code.kind)
            for code in every
        ]
