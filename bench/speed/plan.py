"""What is asked, how often and in which order."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bench.speed.bodies import KINDS, Kind

# Peers are asked what needs the model: to them every text is one.
_PEER_KINDS: dict[str, Kind] = {"echo": "signed", "naive": "new", "txtai": "new"}
_SLOW = ("naive", "txtai")


@dataclass(frozen=True)
class Ask:
    """One cell of the table."""

    system: str
    kind: Kind
    size: str
    clients: int


@dataclass(frozen=True)
class Extent:
    """How much is measured.

    Attributes:
        rounds: of each cell, forth and back.
        starts: of each server.
        mixed: requests before memory is read.
        seconds: that a block of one cell takes, about.
        growth: characters of the shorter text whose reading is compared with that of one twice as long.
    """

    sizes: Sequence[str]
    clients: Sequence[int]
    rounds: int
    starts: int
    mixed: int
    seconds: float
    growth: int = 200_000


FULL = Extent(("200 B", "2 KB", "20 KB", "300 KB"), (1, 16), rounds=5, starts=5, mixed=200, seconds=0.5)
QUICK = Extent(("2 KB", "300 KB"), (1, 16), rounds=2, starts=2, mixed=60, seconds=0.25)


def groups(extent: Extent, systems: Iterable[str]) -> list[list[Ask]]:
    """Cells that are compared with each other, together: one size and number of clients each.

    Args:
        extent: how much is measured.
        systems: the servers that run.
    """
    found = []
    for size in extent.sizes:
        for clients in extent.clients:
            group = []
            for system in systems:
                if system == "errdex":
                    group += [Ask(system, kind, size, clients) for kind in KINDS]
                elif system not in _SLOW or clients == 1 or size == "2 KB":
                    group.append(Ask(system, _PEER_KINDS[system], size, clients))
            found.append(group)
    return found


def abba(group: Sequence[Ask], turn: int) -> Iterator[Ask]:
    """The order of one turn: forth in even ones, back in odd ones, so that a drift hits all cells alike."""
    return iter(group) if turn % 2 == 0 else reversed(group)


def block_size(ask: Ask, rate: float, seconds: float) -> int:
    """How many requests make a block.

    Args:
        ask: what is asked; each client asks at least once, those that are fast often enough for a percentile.
        rate: answers per second, as far as known.
        seconds: that the block may take.
    """
    # A tail needs more answers than a median.
    wanted = round(rate * seconds * (2 if ask.clients > 1 else 1))
    return max(ask.clients, min(wanted, 3000))
