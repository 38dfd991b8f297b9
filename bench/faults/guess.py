"""Whether the time of an answer tells anything about the keys: `python -m bench.faults.guess`.

Keys that nobody has are looked up among real ones, in random order: some that share nothing with a real key, some
that differ from one in a single character, and some whose hash begins like that of a real key. Welch's t-test says
whether their times differ.
"""

import argparse
import gc
import json
import random
import secrets
import time
from collections.abc import Callable
from datetime import date

from pydantic import BaseModel
from scipy.stats import ttest_ind  # type: ignore[import-untyped]  # it ships no types

from errdex.errors import UnknownKeyError
from errdex.keys import Key, KeyRing, hashed, new_secret, with_check

_KEYS = 10
_POOL = 64


class Verdict(BaseModel):
    """Times of two kinds of wrong keys, compared.

    Attributes:
        kind: what is compared with keys that share nothing with a real one.
        trials: lookups of each kind.
        mean_ns: mean time of each kind, the plain one first; the slowest hundredth left out of both.
        p: probability of such a difference between two kinds that take the same time.
    """

    kind: str
    trials: int
    mean_ns: tuple[float, float]
    p: float


def _one_off(secret: str) -> str:
    """The same key with its last random character changed and the checksum right."""
    body = secret[:-7]
    return with_check(body + ("A" if secret[-7] != "A" else "B"))


def _near(digests: set[bytes], alike: int) -> str:
    while True:
        secret = new_secret()
        if hashed(secret)[:alike] in digests:
            return secret


def _look(ring: KeyRing, secret: str, today: date) -> int:
    started = time.perf_counter_ns()
    try:
        ring.find(secret, today)
    except UnknownKeyError:
        return time.perf_counter_ns() - started
    raise AssertionError("a key that was made up is among the real ones")


def _trimmed(times: list[int]) -> list[int]:
    # What the machine's other work adds is no signal, and hides one.
    return sorted(times)[: max(2, len(times) * 99 // 100)]


def compare(kind: str, make: Callable[[], str], ring: KeyRing, trials: int) -> Verdict:
    """Time keys of one kind against plain wrong ones, mixed at random."""
    today = date.today()
    pools = ([new_secret() for _ in range(_POOL)], [make() for _ in range(_POOL)])
    times: tuple[list[int], list[int]] = ([], [])
    order = [0, 1] * trials
    random.shuffle(order)
    gc.disable()
    try:
        for number, which in enumerate(order):
            times[which].append(_look(ring, pools[which][number % _POOL], today))
    finally:
        gc.enable()
    kept = (_trimmed(times[0]), _trimmed(times[1]))
    means = (sum(kept[0]) / len(kept[0]), sum(kept[1]) / len(kept[1]))
    return Verdict(kind=kind, trials=trials, mean_ns=means, p=float(ttest_ind(*kept, equal_var=False).pvalue))


def measure(trials: int, alike: int = 2) -> list[Verdict]:
    """Compare every kind of near miss with plain wrong keys.

    Args:
        trials: lookups of each kind.
        alike: how many bytes of a hash begin alike; each more takes 256 times as long to find.
    """
    real = [new_secret() for _ in range(_KEYS)]
    ring = KeyRing(Key.of(f"k{n}", secret) for n, secret in enumerate(real))
    digests = {hashed(secret)[:alike] for secret in real}
    kinds: dict[str, Callable[[], str]] = {
        "nothing in common": new_secret,
        "one character off": lambda: _one_off(secrets.choice(real)),
        "hash begins alike": lambda: _near(digests, alike),
    }
    return [compare(kind, make, ring, trials) for kind, make in kinds.items()]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=100_000)
    verdicts = measure(parser.parse_args().trials)
    print(json.dumps([verdict.model_dump() for verdict in verdicts], indent=2))


if __name__ == "__main__":
    main()
