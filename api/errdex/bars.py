"""What speed is promised: each bar, the figure it is held against, and whether the interval clears it."""

from collections.abc import Sequence
from dataclasses import dataclass

from errdex.speed import Estimate, Speed


@dataclass(frozen=True)
class Bar:
    """One promise.

    Attributes:
        figure: name in `Speed.figures`.
        text: what is measured.
        limit: what must be reached.
        at_least: whether more is better.
        unit: stands behind the number.
    """

    figure: str
    text: str
    limit: float
    at_least: bool
    unit: str = "x"

    @property
    def promise(self) -> str:
        """The limit as it is written."""
        return f"{'at least' if self.at_least else 'at most'} {written(self.limit, self.unit)}"

    def met_by(self, found: Estimate) -> bool:
        """Whether the whole interval lies on the right side of the limit."""
        return found.low >= self.limit if self.at_least else found.high <= self.limit


BARS: Sequence[Bar] = (
    Bar("signed_rate_to_echo", "decided by a signature, 2 KB, 16 clients: requests/s beside the echo's", 0.6, at_least=True),
    Bar("signed_p50", "decided by a signature, 2 KB, 1 client: p50", 1.0, at_least=False, unit=" ms"),
    Bar("new_gain_naive", "new words, 2 KB, 1 client: p50 of the naive peer over errdex's", 10, at_least=True),
    Bar("new_gain_txtai", "new words, 2 KB, 1 client: p50 of txtai over errdex's", 20, at_least=True),
    Bar("new_tail", "new words, 2 KB, 16 clients: p99 over p50", 4, at_least=False),
    Bar("signed_long", "decided by a signature, 1 client: p50 of 300 KB over that of 2 KB", 1.5, at_least=False),
    Bar("new_long", "new words, 1 client: p50 of 300 KB over that of 2 KB", 1.5, at_least=False),
    Bar("repeated_gain", "2 KB, 1 client: p50 of a new error over that of a repeated one", 15, at_least=True),
    Bar("start", "process start to ready", 1.5, at_least=False, unit=" s"),
    Bar("resident", "resident memory after 200 mixed requests", 250, at_least=False, unit=" MB"),
)


@dataclass(frozen=True)
class Verdict:
    """A bar and what was found; nothing was where the peer was left out."""

    bar: Bar
    found: Estimate | None

    @property
    def word(self) -> str:
        """`met`, `missed`, or `not measured`."""
        if self.found is None:
            return "not measured"
        return "met" if self.bar.met_by(self.found) else "missed"


def written(value: float, unit: str) -> str:
    """A number as tables show it, to three figures."""
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f}{unit}"


def interval(found: Estimate, unit: str) -> str:
    """A figure with its interval behind it."""
    if found.low == found.high:
        return written(found.value, unit)
    return f"{written(found.value, unit)} ({written(found.low, '')} to {written(found.high, '')})"


def judge(speed: Speed) -> list[Verdict]:
    """Hold a run against every bar."""
    found = dict(speed.figures)
    if ours := speed.footprints.get("errdex"):
        found["start"] = ours.start
        found["resident"] = Estimate(value=ours.resident, low=ours.resident, high=ours.resident)
    return [Verdict(bar, found.get(bar.figure)) for bar in BARS]
