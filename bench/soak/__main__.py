"""`python -m bench.soak`: many requests from several clients on one server while new indexes come."""

import argparse
import json
import statistics
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from rich.console import Console

from bench.load.mix import SHARES, asks, mixed
from bench.load.server import serving
from bench.soak.run import Soak, drift, memory_slope, quantile, soak
from errdex.catalog import Catalog
from errdex.encoder import load_encoder
from errdex.index import Index, build_index, load_index, save_index
from errdex.settings import Settings
from errdex.web.app import create_app


def smaller(index: Index) -> Index:
    """The same index without its last entry: other content, made without encoding anything."""
    kept = dict(list(index.catalog.entries.items())[:-1])
    return build_index(Catalog(entries=kept, digest=f"{index.catalog.digest}-smaller"), load_encoder(None), previous=index)


def figures(found: Soak) -> dict[str, Any]:
    """What a soak came to, in figures."""
    slope, timed = memory_slope(found.samples), found.taken.timed
    warm = [sample for sample in found.samples if sample.requests >= 0.1 * found.samples[-1].requests]
    return {
        "answered": len(timed),
        "failed": len(found.taken.failed),
        "reopened": found.taken.reopened,
        "seconds": round(found.seconds, 1),
        "per_second": round(len(timed) / found.seconds, 1),
        "reloads": len(found.reloads),
        "missed_reloads": found.missed_reloads,
        "reload_seconds_p50": round(statistics.median(found.reloads), 2) if found.reloads else None,
        "rss_mib_first_warm_last": [round(s.vital.rss_kib / 1024, 1) for s in (found.samples[0], warm[0], found.samples[-1])],
        "rss_mib_per_100k_requests": [round(slope.mib, 3), round(slope.margin, 3)],
        "descriptors_warm_last": [max(s.vital.descriptors for s in warm), found.samples[-1].vital.descriptors],
        "threads_warm_last": [warm[0].vital.threads, found.samples[-1].vital.threads],
        "p50_ms": {kind: round(quantile(timed, 0.5, kind), 2) for kind in SHARES},
        "p99_ms": {kind: round(quantile(timed, 0.99, kind), 2) for kind in SHARES},
        "p99_last_over_first_tenth": round(drift(timed), 3),
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--requests", type=int, default=288_000)
    parser.add_argument("--reloads", type=int, default=100)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--samples", type=Path, help="write every sample of memory, descriptors and threads to this file")
    return parser.parse_args()


def main() -> int:
    """Run, print the figures as JSON, and say by the exit status whether every request was answered rightly."""
    wanted = _arguments()
    console = Console(stderr=True)
    index = load_index(Settings().index)
    indexes = (smaller(index), index)
    found_asks = asks(create_app(Settings(model="none", site=Path("/nonexistent"))).openapi())
    shares = [mixed(found_asks, wanted.seed + n, wanted.requests // wanted.clients) for n in range(wanted.clients)]
    with tempfile.TemporaryDirectory() as folder:
        root, log = Path(folder) / "index", Path(folder) / "server.log"
        save_index(index, root)
        with serving(root, log) as server:
            found = soak(server, shares, root, indexes, wanted.reloads)
    for what, count in Counter(found.taken.failed).most_common(20):
        console.print(f"failed {count} times: {what}", markup=False, highlight=False)
    sys.stdout.write(json.dumps(figures(found), indent=1) + "\n")
    if wanted.samples:
        rows = [[s.requests, s.vital.rss_kib, s.vital.descriptors, s.vital.threads] for s in found.samples]
        wanted.samples.write_text(json.dumps(rows), encoding="utf-8")
    return 1 if found.taken.failed or found.missed_reloads else 0


if __name__ == "__main__":
    sys.exit(main())
