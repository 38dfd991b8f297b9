"""Damages a small index in many ways and loads it each time: refused, or served exactly as it was written.

python -m bench.faults.damage --mutations 100000
"""

import argparse
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from bench.faults.mutations import FORGED, REFUSED, WHOLE
from bench.faults.samples import LOG, save_pair, title
from errdex.encoder import load_encoder
from errdex.errors import ErrdexError, IndexNotReadyError
from errdex.index import load_index
from errdex.lookup import Lookup
from errdex.versions import CURRENT

_MEMORY = 4 << 30  # of address space, of which the libraries map most
_SECONDS = 5  # for one mutation, after which it counts as hanging
_HUNG, _CRASHED = "hung", "crashed"


class Work:
    """A folder of two versions, of which the current one is damaged and put back."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._current = (root / CURRENT).read_text(encoding="utf-8")
        self._files = {path.name: path.read_bytes() for path in (root / self._current).iterdir()}
        self._other = {path.name for path in root.glob("v-*")} - {self._current}

    @property
    def version(self) -> Path:
        """Folder of the current version."""
        return self.root / self._current

    def restore(self) -> None:
        """Put everything back as it was; no mutation touches the other version."""
        for path in list(self.root.iterdir()):
            if path.is_symlink() or not path.is_dir():
                path.unlink()
            elif path.name not in self._other:
                shutil.rmtree(path)
        self.version.mkdir()
        for name, data in self._files.items():
            (self.version / name).write_bytes(data)
        (self.root / CURRENT).write_text(self._current, encoding="utf-8")


def _outcome(root: Path, contents: frozenset[str], forged: bool) -> str:
    """What loading came to."""
    try:
        index = load_index(root)
    except IndexNotReadyError:
        return "refused"
    lookup = Lookup(index, None)
    index.vectors.nearest(index.vectors.rows()[0], 10)
    try:
        answer = lookup.answer(LOG)
        lookup.answer("why does my loss become nan?")
    except ErrdexError:
        return "loaded, no answer"
    if forged:
        return "loaded"
    known = index.manifest.content in contents and answer.results[0].title in {title(1), title(2)}
    return "served" if known else "served something else"


def _run(work: Work, first: int, last: int, seed: int, out: int) -> None:
    """Mutations `first` to `last`, one line each; in a process of its own, which may die of one."""
    contents = frozenset(_contents(work.root))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    ways = [*REFUSED, *WHOLE, *FORGED]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(first, last):
        random = Random(f"{seed}:{number}")
        way = ways[number % len(ways)]
        work.restore()
        way(work.root, work.version, random)
        signal.setitimer(signal.ITIMER_REAL, _SECONDS)
        start = time.perf_counter()
        outcome = _outcome(work.root, contents, forged=way in FORGED)
        seconds = time.perf_counter() - start
        signal.setitimer(signal.ITIMER_REAL, 0)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        os.write(out, f"{number} {way.__name__} {seconds:.6f} {grown} {outcome}\n".encode())


def _contents(root: Path) -> list[str]:
    return [json.loads((folder / "manifest.json").read_bytes())["content"] for folder in root.glob("v-*")]


def damage(mutations: int, seed: int = 0) -> dict[str, Any]:
    """Run them all.

    Returns:
        Counts of outcomes by mutation, `wrong` (those that were neither refused nor served as written), time and memory.
    """
    ways = [*REFUSED, *WHOLE, *FORGED]
    counts: dict[str, Counter[str]] = {way.__name__: Counter() for way in ways}
    seconds: list[float] = []
    grown = 0
    with tempfile.TemporaryDirectory(dir=_fast_folder()) as scratch:
        save_pair(Path(scratch), load_encoder(None))
        work = Work(Path(scratch))
        size = sum(path.stat().st_size for path in work.version.iterdir())
        done = 0
        while done < mutations:
            lines, status = _in_child(work, done, mutations, seed)
            for line in lines:
                _, way, spent, memory, outcome = line.split(" ", 4)
                counts[way][outcome] += 1
                seconds.append(float(spent))
                grown = max(grown, int(memory))
            done += len(lines)
            work.restore()
            if status:  # it died of the next one
                counts[ways[done % len(ways)].__name__][_HUNG if status == signal.SIGALRM else _CRASHED] += 1
                done += 1
    seconds.sort()
    allowed = {way.__name__: {"refused"} for way in REFUSED}
    allowed |= {way.__name__: {"served"} for way in WHOLE}
    allowed |= {way.__name__: {"refused", "loaded", "loaded, no answer"} for way in FORGED}
    return {
        "mutations": done,
        "wrong": sum(count for way, found in counts.items() for outcome, count in found.items() if outcome not in allowed[way]),
        "outcomes": {way: dict(found) for way, found in counts.items()},
        "milliseconds_p50": round(seconds[len(seconds) // 2] * 1e3, 2),
        "milliseconds_p99": round(seconds[int(len(seconds) * 0.99)] * 1e3, 2),
        "milliseconds_max": round(seconds[-1] * 1e3, 2),
        "index_kib": size >> 10,
        "memory_grown_kib": grown,
    }


def _fast_folder() -> str | None:
    """Memory, where the system offers it: what is measured is not the disk."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _in_child(work: Work, first: int, last: int, seed: int) -> tuple[list[str], int]:
    """What a child said of each mutation, and the signal it died of; 0 if it came to the end."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(read)
            _run(work, first, last, seed, write)
            code = 0
        except BaseException:  # noqa: BLE001  whatever it is, it is what the run is there to find
            traceback.print_exc()
        os._exit(code)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as told:
        lines = told.read().splitlines()
    status = os.waitpid(child, 0)[1]
    return lines, os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def main() -> None:
    """Print the figures as JSON; status 1 when anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutations", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    figures = damage(given.mutations, given.seed)
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")
    sys.exit(1 if figures["wrong"] else 0)


if __name__ == "__main__":
    main()
