"""Tries a real server with faults and attacks, and prints what was measured: `python -m bench.faults [NAME …]`."""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from bench.faults import bombs, overload, oversize, slow, smuggling, stops
from bench.faults.target import MIB, Target, serving

Rows = Iterator[tuple[str, str]]


def _smuggling(target: Target) -> Rows:
    faults = {case.name: fault for case in smuggling.CASES if (fault := smuggling.fault(target.port, case)) is not None}
    yield f"{len(smuggling.CASES)} ambiguous requests", f"{len(faults)} neither refused nor answered as their clean form"
    yield from faults.items()


def _slow(clients: int, seconds: int) -> Rows:
    with TemporaryDirectory() as folder:
        (Path(folder) / slow.LARGE).write_bytes(b"x" * (16 * MIB))
        with serving(site=folder) as target:
            yield from slow.table(target, clients, seconds)


def _served(measure: Callable[[Target], Rows]) -> Rows:
    with serving() as target:
        yield from measure(target)


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m bench.faults", description=__doc__)
    names = ("smuggling", "oversize", "bombs", "slow", "overload", "stops")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"what to try: {', '.join(names)}; by default all")
    parser.add_argument("--clients", type=int, default=500, help="slow clients")
    parser.add_argument("--seconds", type=int, default=16, help="how long slow clients and floods go on")
    parser.add_argument("--stops", type=int, default=50, help="how often a server is stopped")
    chosen = parser.parse_args()
    if unknown := set(chosen.names) - set(names):
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    trials: dict[str, Callable[[], Rows]] = {
        "smuggling": lambda: _served(_smuggling),
        "oversize": lambda: _served(lambda target: oversize.table(target, 32)),
        "bombs": lambda: _served(bombs.table),
        "slow": lambda: _slow(chosen.clients, chosen.seconds),
        "overload": lambda: _served(lambda target: overload.table(target, chosen.seconds)),
        "stops": lambda: (row for kind in (stops.hand_over, stops.alone) for row in kind(chosen.stops)),
    }
    console = Console()
    for name in chosen.names or names:
        console.print(f"[bold]{name}[/bold]")
        for what, measured in trials[name]():
            console.print(f"  {what}: {measured}", highlight=False, markup=False, soft_wrap=True)


if __name__ == "__main__":
    main()
