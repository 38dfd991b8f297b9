"""How the time to read a text grows with its length, in shapes on which careless patterns take time out of proportion."""

import time

from errdex.benchmark import report_of

_SHAPES = {
    "log lines": "step 12 loss: 2.31 lr 1e-4 ok\n",
    "one line": "File ",
    "brackets": "[" * 40 + "\n",
    "prefixes": "[rank0]: [rank0]: x\n",
}


def _seconds(text: str) -> float:
    begin = time.perf_counter()
    report_of(text)
    return time.perf_counter() - begin


def growth_of_reading(size: int = 200_000, tries: int = 3) -> dict[str, float]:
    """For each shape: how many times as long twice as much text takes; 2 is linear.

    Args:
        size: characters of the shorter text.
        tries: of which the fastest counts.
    """
    found = {}
    for name, piece in _SHAPES.items():
        text = piece * (2 * size // len(piece) + 1)
        short, long = (min(_seconds(text[:length]) for _ in range(tries)) for length in (size, 2 * size))
        found[name] = long / short
    return found
