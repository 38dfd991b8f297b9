"""Where the time of one lookup went, step by step."""

from enum import IntEnum
from time import perf_counter_ns


class Step(IntEnum):
    """What a lookup does, in this order; a step that was not needed takes no time."""

    REDACT = 0
    READ = 1
    SIGNATURES = 2
    WORDS = 3
    MODEL = 4
    RANK = 5
    RENDER = 6

    @property
    def label(self) -> str:
        """Its name as metrics and traces write it."""
        return self.name.lower()


class Timings:
    """A stop watch that is told where each step ends; what lies between two ends belongs to the later one.

    Attributes:
        spent: nanoseconds per step.
    """

    __slots__ = ("_since", "spent")

    def __init__(self) -> None:
        self.spent = [0] * len(Step)
        self._since = perf_counter_ns()

    def end(self, step: Step) -> None:
        """A step ends now; one that ends several times is added up."""
        now = perf_counter_ns()
        self.spent[step] += now - self._since
        self._since = now

    def copy(self) -> "Timings":
        """A watch that goes on from here, for somebody who may never come back."""
        other = Timings()
        other.spent = list(self.spent)
        return other

    def resume(self) -> None:
        """What passed since the last end belongs to no step."""
        self._since = perf_counter_ns()

    @property
    def seconds(self) -> float:
        """All steps together."""
        return sum(self.spent) / 1e9
