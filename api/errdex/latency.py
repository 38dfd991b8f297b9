"""Runs the speed benchmark of a checkout, and shows what it found as tables: on a terminal, and as Markdown."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from errdex.bars import interval, judge, written
from errdex.catalog import PACKAGE
from errdex.errors import ErrdexError
from errdex.settings import Settings
from errdex.speed import Speed

CHECKOUT = PACKAGE.parents[1]
_KINDS = {"signed": "decided by a signature", "new": "new words", "repeated": "repeated error"}
# Figures that no bar stands beside.
_OTHERS = {
    "signed_rate_to_echo_alone": ("decided by a signature, 2 KB, 1 client: requests/s beside the echo's", "x"),
    "new_rate_to_naive": ("new words, 2 KB, 16 clients: requests/s over the naive peer's", "x"),
    "new_rate_to_txtai": ("new words, 2 KB, 16 clients: requests/s over txtai's", "x"),
    "repeated_long": ("repeated error, 1 client: p50 of 300 KB over that of 2 KB", "x"),
    "signed_tail": ("decided by a signature, 2 KB, 16 clients: p99 over p50", "x"),
    "signed_tail_half_load": ("decided by a signature, 2 KB, at half that rate: p99 over p50", "x"),
    "new_tail_half_load": ("new words, 2 KB, at half the rate of 16 clients: p99 over p50", "x"),
    "repeated_tail_half_load": ("repeated error, 2 KB, at half the rate of 16 clients: p99 over p50", "x"),
}
_BEGIN, _END = "<!-- speed: written by `errdex benchmark --speed --publish` -->", "<!-- speed: end -->"
Lines = list[tuple[str, ...]]


def measure_speed(settings: Settings, *, quick: bool = False, systems: Sequence[str] = ()) -> Speed:
    """Run the benchmark in a process of its own, so that nothing but the client shares its core.

    Args:
        settings: where the built index and the knowledge are.
        quick: some six minutes, with fewer sizes and rounds.
        systems: which servers; all that are installed if none is named.

    Raises:
        ErrdexError: there is no `bench/` to run, or a server does not start.
    """
    chosen = ["--systems", *systems] if systems else []
    return Speed.model_validate_json(_output(settings, "bench.speed", *(["--quick"] if quick else []), *chosen))


def measure_scale(settings: Settings) -> str:
    """How retrieval alone grows with the number of entries, as the script prints it.

    Raises:
        ErrdexError: there is no `bench/` to run, or the script fails.
    """
    return _output(settings, "bench.speed.retrieval")


def _output(settings: Settings, module: str, *arguments: str) -> str:
    """What a script of bench/ writes; its progress goes to standard error."""
    if (
        not (CHECKOUT / Path(*module.split("."))).with_suffix(".py").is_file()
        and not (CHECKOUT / Path(*module.split("."))).is_dir()
    ):
        raise ErrdexError(f"There is no {module} beside errdex; the benchmark runs in a checkout, where bench/ is.")
    path = os.pathsep.join(part for part in (str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")) if part)
    environment = os.environ | {"ERRDEX_INDEX": str(settings.index), "ERRDEX_KB": str(settings.kb), "PYTHONPATH": path}
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise ErrdexError(f"{module} stopped with status {done.returncode}; what it wrote stands above.")
    return done.stdout


def bar_rows(speed: Speed) -> Lines:
    """Each bar: what, what was found, what must be reached, and the verdict."""
    return [
        (verdict.bar.text, interval(verdict.found, verdict.bar.unit) if verdict.found else "", verdict.bar.promise, verdict.word)
        for verdict in judge(speed)
    ]


def other_rows(speed: Speed) -> Lines:
    """Figures without a bar."""
    return [(text, interval(speed.figures[name], unit)) for name, (text, unit) in _OTHERS.items() if name in speed.figures]


def cell_rows(speed: Speed) -> Lines:
    """Each cell under full load: who, what, size, clients, p50, p95, p99, requests per second."""
    return [
        (
            cell.system,
            _KINDS[cell.kind] if cell.system == "errdex" else "",
            cell.size,
            str(cell.clients),
            *(written(time, " ms") for time in (cell.p50, cell.p95, cell.p99)),
            written(cell.rate, ""),
        )
        for cell in speed.cells
        if cell.load == "full"
    ]


def footprint_rows(speed: Speed) -> Lines:
    """Each server: start, resident memory, peak."""
    return [
        (name, interval(found.start, " s"), written(found.resident, " MB"), written(found.peak, " MB"))
        for name, found in speed.footprints.items()
    ]


_TABLES = (
    (("what", "found (95 % interval)", "promised", ""), bar_rows),
    (("what else", "found (95 % interval)"), other_rows),
    (("server", "text", "size", "clients", "p50", "p95", "p99", "requests/s"), cell_rows),
    (("server", "start to ready", "memory", "peak"), footprint_rows),
)


def remarks(speed: Speed) -> list[str]:
    """What the figures hang on, in sentences."""
    machine = speed.machine
    libraries = ", ".join(f"{name} {number}" for name, number in machine.libraries.items())
    ceiling = ", ".join(f"{written(rate, '')} with {clients}" for clients, rate in speed.ceiling.items())
    odd = sum(cell.odd for cell in speed.cells)
    growth = ", ".join(f"{written(factor, 'x')} ({name})" for name, factor in speed.growth.items())
    return [
        f"errdex {speed.errdex}, {speed.entries} entries, {speed.date}; {speed.rounds} rounds forth and back, "
        f"{speed.seconds:.0f} s in all.",
        f"{machine.cpu}, {machine.cores} cores, one for the server and one for the client; "
        f"load average {machine.load_before:.2f} before and {machine.load_after:.2f} after; the host took {machine.steal:.1%} "
        f"of the time, other processes "
        f"{machine.busy_elsewhere:.1%}.",
        f"Python {machine.python}, {libraries}.",
        f"The client reaches {ceiling} clients against a server that does nothing (requests/s).",
        f"Answers that something else decided than the text was made for, or that were degraded: {odd} of "
        f"{sum(cell.requests for cell in speed.cells)}.",
        f"Reading twice as much text takes {growth} as long.",
        *(f"Left out: {what}" for what in speed.left_out),
    ]


def publish_speed(speed: Speed, path: Path, page: Path) -> None:
    """Write a run down, and into the page that shows it.

    Args:
        speed: the run.
        path: the file for it, replaced as a whole.
        page: Markdown with a place for it between two marks.
    """
    before, _, after = section(page)
    path.write_text(speed.model_dump_json(indent=1) + "\n", encoding="utf-8")
    page.write_text(f"{before}\n{to_markdown(speed)}{after}", encoding="utf-8")


def section(page: Path) -> tuple[str, str, str]:
    """A page up to the figures, the figures, and the rest.

    Raises:
        ErrdexError: it has no place for them.
    """
    before, begin, rest = page.read_text(encoding="utf-8").partition(_BEGIN)
    shown, end, after = rest.partition(_END)
    if not end:
        raise ErrdexError(f"{page} has no lines {_BEGIN} and {_END} for the figures.")
    return before + begin + "\n", shown.strip("\n") + "\n", f"\n{end}{after}"


def print_speed(speed: Speed, console: Console) -> None:
    """Every table, and what the figures hang on."""
    for names, rows in _TABLES:
        table = Table(*names)
        for row in rows(speed):
            table.add_row(*row)
        console.print(table)
    for line in remarks(speed):
        console.print(line, highlight=False, soft_wrap=True)


def to_markdown(speed: Speed) -> str:
    """The tables and remarks as docs/benchmark.md holds them."""
    parts = []
    for names, rows in _TABLES:
        lines = [names, tuple("---" for _ in names), *rows(speed)]
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    return "\n\n".join([*parts, *remarks(speed)]) + "\n"
