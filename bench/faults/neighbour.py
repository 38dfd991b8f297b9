"""`python -m bench.faults.neighbour`: how much slower a server is while another program keeps one core busy."""

import argparse
import json
import multiprocessing
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.load.client import load
from bench.load.mix import Kind, asks, mixed
from bench.load.server import Server, serving
from bench.soak.run import quantile
from errdex.index import load_index, save_index
from errdex.settings import Settings
from errdex.web.app import create_app

LIMIT = 3.0  # p99 beside the neighbour over p99 alone
_SHARES: dict[Kind, float] = {"signature": 0.5, "question": 0.5, "long": 0.0, "other": 0.0}


def _spin(core: int) -> None:
    os.sched_setaffinity(0, {core})
    while True:
        pass


@contextmanager
def neighbour() -> Iterator[None]:
    """A busy loop on the last core that this process may use."""
    busy = multiprocessing.get_context("spawn").Process(target=_spin, args=(max(os.sched_getaffinity(0)),), daemon=True)
    busy.start()
    try:
        yield
    finally:
        busy.kill()
        busy.join()


def compare(server: Server, rounds: int, requests: int) -> dict[str, float]:
    """p99 in milliseconds without and with the neighbour, taken in turns (ABBA), and their ratio."""
    prepared = asks(create_app(Settings(model="none", site=Path("/nonexistent"))).openapi())
    load(server.port, [mixed(prepared, 0, requests, _SHARES)])  # warms up
    alone: list[float] = []
    beside: list[float] = []

    def measure(into: list[float], seed: int) -> None:
        taken = load(server.port, [mixed(prepared, seed, requests, _SHARES)])
        if taken.failed:
            raise RuntimeError(taken.failed[0])
        into.append(quantile(taken.timed, 0.99))

    for number in range(rounds):
        order = (alone, beside) if number % 2 == 0 else (beside, alone)
        for into in order:
            if into is beside:
                with neighbour():
                    measure(into, number)
            else:
                measure(into, number)
    quiet, busy = statistics.median(alone), statistics.median(beside)
    return {"p99_ms_alone": quiet, "p99_ms_beside": busy, "ratio": busy / quiet}


def main() -> int:
    """Measure, print as JSON, and say by the exit status whether the limit was kept."""
    parser = argparse.ArgumentParser(prog="python -m bench.faults.neighbour", description=__doc__)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--requests", type=int, default=1000, help="of each round")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "index"
        save_index(load_index(Settings().index), root)
        with serving(root, Path(folder) / "server.log") as server:
            found = compare(server, wanted.rounds, wanted.requests)
    sys.stdout.write(json.dumps(found | {"limit": LIMIT}) + "\n")
    return 1 if found["ratio"] > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
