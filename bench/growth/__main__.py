"""`python -m bench.growth`: the exponent of the growth of every stage on every shape, the worst first."""

import argparse
import json
import math
import statistics
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from bench.growth.measure import Growth, measure, stages
from bench.growth.shapes import shapes
from errdex.index import load_index
from errdex.lookup import Lookup
from errdex.settings import Settings


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    parser.add_argument("--from-kb", type=int, default=64, help="smallest text in kB")
    parser.add_argument("--to-kb", type=int, default=1024, help="largest text in kB")
    parser.add_argument("--runs", type=int, default=3, help="runs of each, of which the fastest counts")
    parser.add_argument("--only", default="", help="shapes whose name holds this")
    parser.add_argument("--stage", default="", help="one stage only")
    parser.add_argument("--limit", type=float, default=1.1, help="the exponent that is allowed")
    parser.add_argument("--shown", type=int, default=40, help="rows of the table")
    parser.add_argument("--json", action="store_true", help="print all as JSON")
    return parser.parse_args()


def _print(found: Sequence[Growth], shown: int) -> None:
    table = Table(title="the steepest")
    for column in ("stage", "shape", "exponent", "size, kB", "ms"):
        table.add_column(column, justify="left" if column in ("stage", "shape") else "right")
    steep = sorted(found, key=lambda g: -1 if math.isnan(g.slope) else g.slope, reverse=True)
    for growth in steep[:shown]:
        size, seconds = growth.sizes[-1] // 1024, growth.seconds[-1] * 1000
        table.add_row(growth.stage, repr(growth.shape)[1:-1], f"{growth.slope:.2f}", str(size), f"{seconds:.1f}")
    console = Console(width=150)
    console.print(table)
    for stage in dict.fromkeys(growth.stage for growth in found):
        largest = [growth for growth in found if growth.stage == stage]
        times = sorted(growth.seconds[-1] * 1000 for growth in largest)
        worst = max(largest, key=lambda growth: growth.seconds[-1])
        console.print(
            f"{stage}: p50 {statistics.median(times):.1f} ms, slowest {times[-1]:.1f} ms ({worst.shape!r}) "
            f"at {worst.sizes[-1] // 1024} kB, {len(largest)} shapes",
            highlight=False,
            markup=False,
        )


def main() -> int:
    """Measure, print, and say by the exit status whether all stayed within the limit."""
    wanted = _arguments()
    sizes = [wanted.from_kb << 10]
    while sizes[-1] < wanted.to_kb << 10:
        sizes.append(min(2 * sizes[-1], wanted.to_kb << 10))
    lookup = Lookup(load_index(Settings().index), encoder=None)
    found = [
        measure(name, stage, shape_name, shape, sizes, wanted.runs)
        for shape_name, shape in shapes().items()
        if wanted.only in shape_name
        for name, stage in stages(lookup).items()
        if wanted.stage in name
    ]
    steep = [growth for growth in found if growth.slope > wanted.limit]
    if wanted.json:
        sys.stdout.write(json.dumps([vars(growth) | {"slope": growth.slope} for growth in found], indent=1) + "\n")
    else:
        _print(found, wanted.shown)
        Console(stderr=True).print(f"{len(found)} measured, {len(steep)} steeper than {wanted.limit}")
    return 1 if steep else 0


if __name__ == "__main__":
    sys.exit(main())
