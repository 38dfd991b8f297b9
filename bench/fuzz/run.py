"""One shard of a fuzz: seeds in, counts and failures out."""

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.fuzz.cases import Case, Generator
from bench.fuzz.client import Client, Reply
from bench.fuzz.verdict import faults, is_slow
from errdex.settings import Settings
from errdex.web.app import create_app

LONGEST = (1 << 20) - 4096  # bytes; just under what a server takes
LONG_SHARE = 0.004
_KEPT_SLOW = 10
_FLUSH_SECONDS = 120.0


@dataclass
class Outcome:
    """What a number of cases came to.

    Attributes:
        slowest: processor seconds, seed and what was asked, the slowest first.
        failures: seed, what was wrong, and the case.
    """

    cases: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    slowest: list[tuple[float, int, str]] = field(default_factory=list)
    failures: list[tuple[int, str, Case]] = field(default_factory=list)

    def add(self, seed: int, case: Case, reply: Reply, wrong: Iterable[str]) -> None:
        """Count one case."""
        self.cases += 1
        self.statuses[reply.status] += 1
        self.kinds[case.kind] += 1
        self.seconds += reply.seconds
        if len(self.slowest) < _KEPT_SLOW or reply.seconds > self.slowest[-1][0]:
            described = f"{case.method} {case.path[:40]!r} {case.kind}, {len(case.body)} bytes, status {reply.status}"
            self.slowest = sorted([*self.slowest, (reply.seconds, seed, described)], reverse=True)[:_KEPT_SLOW]
        self.failures += [(seed, fault, case) for fault in wrong]

    def merge(self, other: "Outcome") -> None:
        """Take another shard's counts in."""
        self.cases += other.cases
        self.statuses += other.statuses
        self.kinds += other.kinds
        self.seconds += other.seconds
        self.slowest = sorted([*self.slowest, *other.slowest], reverse=True)[:_KEPT_SLOW]
        self.failures += other.failures


def wrong_with(client: Client, case: Case, timed: bool) -> tuple[Reply, list[str]]:
    """Ask a case; where time counts, a slow one is asked twice more, since a busy machine makes single times long."""
    reply = client.ask(case)
    wrong = faults(case, reply, client.app)
    if timed and is_slow(reply) and all(is_slow(client.ask(case)) for _ in range(2)):
        wrong.append("slow")
    return reply, wrong


@contextmanager
def running(index: Path) -> Iterator[Client]:
    """The application with the index, without the model, and with a store of its own."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(index=index, site=Path(folder) / "none", model="none", store=f"sqlite:///{folder}/store.db")
        app = create_app(settings)
        with Client(app) as client:
            yield client
            app.state.recorder.flush(_FLUSH_SECONDS)  # a thread that still writes would keep the folder from being removed


def run(client: Client, generator: Generator, seeds: Iterable[int], timed: bool) -> Outcome:
    """Ask the case of every seed.

    Args:
        client: the running application.
        generator: makes the cases.
        seeds: which.
        timed: whether a slow answer is a failure.
    """
    outcome = Outcome()
    for seed in seeds:
        case = generator.case(seed)
        outcome.add(seed, case, *wrong_with(client, case, timed))
    return outcome


def shard(arguments: tuple[Path, range, bool]) -> Outcome:
    """The index, the seeds, and whether time counts: what one process does."""
    index, seeds, timed = arguments
    with running(index) as client:
        return run(client, Generator(client.app, LONGEST, LONG_SHARE), seeds, timed)
