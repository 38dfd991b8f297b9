"""A long load on one server that gets new indexes meanwhile, and what it held from beginning to end."""

import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.load.client import Taken, Timed, load
from bench.load.mix import Ask, Kind
from bench.load.server import Server, Vital
from errdex.index import Index, save_index

_SAMPLE_SECONDS = 0.5
_RELOAD_SECONDS = 120
_WARM_UP = 0.1  # share of the requests after which memory counts
_BLOCKS = 100  # means of so many runs of samples are fitted: single samples follow each other too closely


@dataclass(frozen=True)
class Sample:
    """What the server held after so many requests."""

    requests: int
    vital: Vital


@dataclass
class Soak:
    """What a soak came to.

    Attributes:
        reloads: seconds from the new index's last byte to the first answer out of it, for each.
    """

    taken: Taken = field(default_factory=Taken)
    samples: list[Sample] = field(default_factory=list)
    reloads: list[float] = field(default_factory=list)
    missed_reloads: int = 0
    seconds: float = 0.0


class _Counter:
    """How many requests were answered, counted by several threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.value = 0

    def add(self) -> None:
        with self._changed:
            self.value += 1
            self._changed.notify_all()

    def wait_for(self, value: int, over: threading.Event) -> bool:
        """Wait until so many were answered; False when there will be no more."""
        with self._changed:
            self._changed.wait_for(lambda: self.value >= value or over.is_set())
            return self.value >= value

    def wake(self) -> None:
        with self._changed:
            self._changed.notify_all()


def soak(server: Server, shares: Sequence[Sequence[Ask]], root: Path, indexes: Sequence[Index], reloads: int) -> Soak:
    """Put the load on and replace the index evenly throughout.

    Args:
        server: a server that answers out of `root`.
        shares: what each client asks.
        root: the server's folder of index versions.
        indexes: indexes of different content that take turns; the server begins with the last of them.
        reloads: how often another one takes over.
    """
    found, counter, over = Soak(), _Counter(), threading.Event()
    total = sum(map(len, shares))

    def sample() -> None:
        while not over.wait(_SAMPLE_SECONDS):
            found.samples.append(Sample(counter.value, server.vital()))

    def reload() -> None:
        for number in range(reloads):
            if not counter.wait_for((number + 1) * total // (reloads + 1), over):
                return
            index = indexes[number % len(indexes)]
            save_index(index, root)
            start = time.perf_counter()
            server.hang_up()
            while server.index() != f"sha256:{index.manifest.content}":
                if time.perf_counter() - start > _RELOAD_SECONDS:
                    found.missed_reloads += 1
                    return
                time.sleep(0.05)
            found.reloads.append(time.perf_counter() - start)

    found.samples.append(Sample(0, server.vital()))
    beside = [threading.Thread(target=sample), threading.Thread(target=reload)]
    for thread in beside:
        thread.start()
    start = time.perf_counter()
    found.taken = load(server.port, shares, counter.add)
    found.seconds = time.perf_counter() - start
    beside[1].join() if counter.value >= total else None
    over.set()
    counter.wake()
    for thread in beside:
        thread.join()
    found.samples.append(Sample(counter.value, server.vital()))
    return found


@dataclass(frozen=True)
class Slope:
    """MiB of resident memory per 100,000 requests, and half the width of its 95 % confidence interval."""

    mib: float
    margin: float


def memory_slope(samples: Sequence[Sample]) -> Slope:
    """A straight line through what the server held after its warm-up; NaN where there is too little to fit."""
    last = samples[-1].requests
    warm = [sample for sample in samples if sample.requests >= _WARM_UP * last]
    width = max(1.0, (1 - _WARM_UP) * last / _BLOCKS)
    blocks: dict[int, list[Sample]] = {}
    for sample in warm:
        blocks.setdefault(int((sample.requests - _WARM_UP * last) / width), []).append(sample)
    points = [
        (sum(s.requests for s in block) / len(block) / 100_000, sum(s.vital.rss_kib for s in block) / len(block) / 1024)
        for block in blocks.values()
    ]
    count = len(points)
    if count < 3:
        return Slope(math.nan, math.nan)
    x, y = sum(p[0] for p in points) / count, sum(p[1] for p in points) / count
    spread = sum((a - x) ** 2 for a, _ in points)
    slope = sum((a - x) * (b - y) for a, b in points) / spread
    left = sum((b - y - slope * (a - x)) ** 2 for a, b in points)
    # 1.96 is the normal quantile; with some hundred blocks Student's differs by 1 %.
    return Slope(slope, 1.96 * math.sqrt(left / (count - 2) / spread))


def quantile(timed: Sequence[Timed], share: float, kind: Kind | None = None) -> float:
    """A quantile of the times in milliseconds; NaN where there are none."""
    took = sorted(one.took for one in timed if kind is None or one.kind == kind)
    return took[min(len(took) - 1, int(share * len(took)))] * 1000 if took else math.nan


def drift(timed: Sequence[Timed], share: float = 0.99) -> float:
    """p99 of the last tenth over p99 of the first."""
    tenth = max(1, len(timed) // 10)
    return quantile(timed[-tenth:], share) / quantile(timed[:tenth], share)
