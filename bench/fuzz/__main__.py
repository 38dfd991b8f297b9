"""`python -m bench.fuzz`: asks a great number of random requests and checks every answer."""

import argparse
import json
import multiprocessing
import os
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.fuzz import corpus
from bench.fuzz.cases import Case
from bench.fuzz.run import Outcome, running, shard, wrong_with
from bench.fuzz.shrink import shrink
from errdex.settings import Settings

_ROUND = 20_000  # seeds after which the counts are told


def _keep(index: Path, seed: int, fault: str, case: Case) -> str:
    """Shrink a failing case and put it into the corpus."""
    with running(index) as client:
        smallest = shrink(case, lambda smaller: fault in wrong_with(client, smaller, timed=fault == "slow")[1])
    path = corpus.save(smallest)
    return f"seed {seed}: {fault}: {case.method} {case.path[:60]!r} -> {path.relative_to(corpus.FOLDER.parents[1])}"


def _print(outcome: Outcome, took: float, console: Console) -> None:
    each = outcome.seconds / outcome.cases * 1000
    console.print(f"{outcome.cases} inputs, {outcome.cases / took:.0f} a second, {each:.2f} ms of processor time each")
    for title, counts in (("status", outcome.statuses), ("body", outcome.kinds)):
        console.print(
            f"{title}: " + ", ".join(f"{name} {count}" for name, count in sorted(counts.items(), key=str)), highlight=False
        )
    table = Table(title="the slowest")
    table.add_column("ms", justify="right")
    table.add_column("seed", justify="right")
    table.add_column("request")
    for seconds, seed, described in outcome.slowest:
        table.add_row(f"{seconds * 1000:.0f}", str(seed), described)
    console.print(table)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument(
        "--seed", type=int, default=0, help="the first seed; a run that was stopped goes on from the last one told"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--untimed", action="store_true", help="slow answers are no failures (on a busy machine)")
    parser.add_argument("--keep", type=int, default=20, help="failures that are shrunk and put into tests/corpus")
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    return parser.parse_args()


def main() -> int:
    """Ask, print, and say by the exit status whether all was well."""
    wanted = _arguments()
    console = Console(stderr=wanted.json, width=140)
    index, total, start = Settings().index, Outcome(), time.perf_counter()
    last = wanted.seed + wanted.inputs
    with multiprocessing.get_context("spawn").Pool(wanted.processes) as pool:
        for first in range(wanted.seed, last, _ROUND):
            end = min(first + _ROUND, last)
            shards = [(index, range(first + n, end, wanted.processes), not wanted.untimed) for n in range(wanted.processes)]
            for outcome in pool.imap_unordered(shard, shards):
                total.merge(outcome)
                for seed, fault, case in outcome.failures:
                    Console(stderr=True).print(f"seed {seed}: {fault}: {case.method} {case.kind}", highlight=False)
            Console(stderr=True).print(f"next seed {end}: {total.cases} inputs, {len(total.failures)} failures", highlight=False)
    took = time.perf_counter() - start
    kept: dict[tuple[str, str], tuple[int, str, Case]] = {}
    for seed, fault, case in total.failures:
        kept.setdefault((fault, f"{case.method} {case.path[:8]} {case.kind}"), (seed, fault, case))
    for failure in list(kept.values())[: wanted.keep]:
        console.print(_keep(index, *failure), highlight=False, markup=False)
    if wanted.json:
        figures = {"inputs": total.cases, "per_second": total.cases / took, "statuses": total.statuses, "kinds": total.kinds}
        sys.stdout.write(json.dumps(figures | {"slowest": total.slowest, "failures": len(total.failures)}) + "\n")
    else:
        _print(total, took, console)
    console.print(f"{len(total.failures)} failures")
    return 1 if total.failures else 0


if __name__ == "__main__":
    sys.exit(main())
