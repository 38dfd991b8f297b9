"""The shape of what the benchmark measured and publishes (`bench/results.json`), for whoever shows it."""

from datetime import date
from pathlib import Path

from pydantic import ValidationError

from errdex.entry import Strict
from errdex.errors import ErrdexError


class Row(Strict):
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


class Share(Strict):
    """Cases of one area, kind or language, and how many have the right entry first."""

    cases: int
    first: int


class Point(Strict):
    """How many texts have a first answer of at least this confidence, and how many of those answers are wrong."""

    threshold: float
    answered: int
    wrong: int


class Curve(Strict):
    """What happens to a set of texts as the threshold rises; each text was kept out of the fit that judged it.

    Attributes:
        texts: how many there are.
        points: by rising threshold, the first at 0; a point holds until the next one.
        matched: answered with `match`, by all rules of a lookup.
        matched_wrong: of those, how many wrongly.
    """

    texts: int
    points: list[Point]
    matched: int
    matched_wrong: int


class Figures(Strict):
    """What one run of every system on every labelled report measured."""

    cases: int
    foreign: int
    uncovered: int
    exact: int
    exact_first: int
    rows: list[Row]
    areas: dict[str, Share]
    kinds: dict[str, Share]
    languages: dict[str, Share]
    misses: list[str]


class Scores(Strict):
    """A whole run, and what it was run with."""

    date: date
    errdex: str
    entries: int
    python: str
    encoder: str
    libraries: dict[str, str]
    match: float
    candidates: float
    figures: Figures
    curves: dict[str, Curve]


def read_scores(path: Path) -> Scores:
    """Read what `errdex benchmark --publish` wrote.

    Raises:
        ErrdexError: the file is not there, or does not hold what this version reads.
    """
    try:
        return Scores.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise ErrdexError(f"{path} cannot be read; write it with `errdex benchmark --publish {path.name}`.") from error
