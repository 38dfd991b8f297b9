"""How the time of each stage of a lookup grows with the length of the text."""

import contextlib
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.growth.shapes import Shape
from errdex.errors import InputError
from errdex.lexical import tokenize
from errdex.lookup import Lookup
from errdex.normalize import normalize
from errdex.redact import redact
from errdex.report import read_report
from errdex.signatures import units_of

Stage = Callable[[str], object]
_NOISE = 0.0005  # seconds below which a time says nothing
_TOO_LONG = 5.0  # seconds after which a larger size is not tried


@dataclass(frozen=True)
class Growth:
    """One stage on one shape.

    Attributes:
        sizes: bytes of the texts.
        seconds: processor time for each, the least of the runs.
    """

    stage: str
    shape: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def slope(self) -> float:
        """Exponent of the growth: 1 is linear, 2 quadratic; NaN where all is too fast to tell."""
        points = [(math.log(n), math.log(s)) for n, s in zip(self.sizes, self.seconds, strict=True) if s >= _NOISE]
        if len(points) < 2:
            return math.nan
        x, y = (sum(values) / len(points) for values in zip(*points, strict=True))
        return float(sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points))


def stages(lookup: Lookup) -> dict[str, Stage]:
    """Each stage of a lookup by itself, and all of them together."""

    def signatures(text: str) -> object:
        report = read_report(text)
        messages = [(raised.line, f"{raised.type}: {raised.message}") for raised in report.exceptions]
        return lookup.index.matcher.search(units_of(report.lines, messages))

    def answer(text: str) -> object:
        with contextlib.suppress(InputError):  # what is mostly control characters is refused, which takes its time, too
            return lookup.answer(f"x{text}")  # a text of blanks alone would be refused before it is read
        return None

    return {
        "redact": redact,
        "read_report": read_report,
        "read and match": signatures,
        "normalize": normalize,
        "tokenize": tokenize,
        "answer": answer,
    }


def cost(stage: Stage, text: str, runs: int) -> float:
    """Least processor time of some runs, in seconds."""
    best = math.inf
    for _ in range(runs):
        start = time.process_time()
        stage(text)
        best = min(best, time.process_time() - start)
        if best > _TOO_LONG:
            break
    return best


def measure(name: str, stage: Stage, shape_name: str, shape: Shape, sizes: Sequence[int], runs: int) -> Growth:
    """One stage on one shape, small sizes first; sizes that would take too long are left out."""
    seconds: list[float] = []
    for size in sizes:
        seconds.append(cost(stage, shape(size), runs))
        if seconds[-1] > _TOO_LONG:
            break
    return Growth(name, shape_name, tuple(sizes[: len(seconds)]), tuple(seconds))
