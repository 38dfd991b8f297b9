"""Runs the scripts of the entries and judges what they did: the proof that an error is real and its fix works."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.metadata import packages_distributions, version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, Self

import tomlkit
from tomlkit.items import InlineTable

from errdex.catalog import Catalog, read_entries
from errdex.entry import Entry
from errdex.releases import PREFIX, only_old, release_folder
from errdex.report import read_report
from errdex.sandbox import Limits, Ran, Sandbox, SandboxError
from errdex.settings import build_folder
from errdex.signatures import SignatureMatcher, units_of
from errdex.stamp import write_checked

# Imported once, by a warm process for each combination: an import changes warning filters and loggers.
HEAVY = ("torch", "transformers", "accelerate", "peft")
# What a library imports only when it is first used, which costs seconds in each script that trains.
_IMPORTED_LATER = {"torch": "torch._dynamo", "transformers": "transformers.trainer"}
_ASKS_FOR_SUBPROCESS = re.compile(r"# repro: subprocess\s*$", re.MULTILINE)
_STOPPED = {
    "time": "ran out of time; make it quicker",
    "memory": "took too much memory; use smaller tensors",
    "output": "printed too much; print less",
}
_TAIL = 1500  # characters of output shown with a failure

State = Literal["passed", "failed", "skipped", "none"]


@dataclass(frozen=True)
class Outcome:
    """What became of one entry.

    Attributes:
        id: the entry.
        state: `none` when no program can show the error.
        reason: why it failed, was skipped or has no scripts; empty when it passed.
        seconds: how long its scripts ran.
    """

    id: str
    state: State
    reason: str
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        """Whether the scripts ran and did not do what the entry says."""
        return self.state == "failed"

    def __str__(self) -> str:
        return f"{self.id}: {self.state}" + (f": {self.reason}" if self.reason else "")


def judge(entry: Entry, ran: Mapping[str, Ran]) -> str:
    """What is wrong with what the scripts did; empty when they did what the entry says.

    Args:
        entry: the entry.
        ran: what each script did, by file name.
    """
    wanted = ("broken.py", "fixed.py") if entry.kind == "error" else ("example.py",)
    for name in wanted:
        if name not in ran:
            return f"{name} is missing; write it, or say in [repro] why no program can show it"
        if fault := _fault(entry, name, ran[name]):
            return f"{name} {fault}; it printed:\n{ran[name].output[-_TAIL:]}"
    return ""


def _fault(entry: Entry, name: str, ran: Ran) -> str:
    if ran.stopped:
        return _STOPPED[ran.stopped]
    matches = _matches(entry, ran.output)
    if name == "broken.py":
        if entry.repro.prints and ran.status != 0:
            return f"ended with status {ran.status}; an error that is only printed ends with 0"
        if not entry.repro.prints and ran.status == 0:
            return "ended with status 0; it must raise, or say `prints = true` in [repro]"
        return "" if matches else "did not print what a signature of the entry matches"
    if ran.status != 0:
        return f"ended with status {ran.status}; it must end with 0"
    return "still prints what a signature of the entry matches" if matches else ""


def _matches(entry: Entry, output: str) -> bool:
    report = read_report(output)
    messages = ((raised.line, f"{raised.type}: {raised.message}") for raised in report.exceptions)
    return bool(SignatureMatcher([entry]).search(units_of(report.lines, messages)))


def heavy_imports(source: str) -> tuple[str, ...]:
    """The heavy libraries that a script imports itself and that are installed."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except SyntaxError:
        return ()
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) if node.module}
    return tuple(name for name in HEAVY if any(n.split(".")[0] == name for n in names) and find_spec(name))


def wants_subprocess(source: str) -> bool:
    """Whether a script must start in a plain Python: it says so, or it may set what an import reads."""
    return bool(_ASKS_FOR_SUBPROCESS.match(source)) or "environ" in source


class Runner:
    """Runs entries one after the other, with the warm processes they need; a context manager.

    Args:
        kb: the knowledge folder.
        limits: what one script may use.
        releases: folder that keeps old releases of libraries.
    """

    def __init__(self, kb: Path, limits: Limits | None = None, releases: Path | None = None) -> None:
        self._kb = kb
        self._limits = limits or Limits()
        self._releases = releases or build_folder() / "releases"
        self._open = ExitStack()
        self._sandboxes: dict[tuple[str, ...], Sandbox] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def run(self, entry: Entry) -> Outcome:
        """Run an entry's scripts, if this machine has what they need, and judge them."""
        if entry.status != "active":
            return Outcome(entry.id, "skipped", entry.status)
        if entry.repro.none is not None:
            return Outcome(entry.id, "none", entry.repro.none)
        environment = self._environment(entry.repro.needs)
        if environment is None:
            return Outcome(entry.id, "skipped", f"needs {', '.join(entry.repro.needs)}")
        try:
            ran = {name: self._run_script(entry, name, environment) for name in entry.scripts}
            fault = judge(entry, ran)
        except (SandboxError, ValueError) as error:
            return Outcome(entry.id, "failed", str(error))
        seconds = round(sum(one.seconds for one in ran.values()), 1)
        return Outcome(entry.id, "failed" if fault else "passed", fault, seconds)

    def _environment(self, needs: Sequence[str]) -> dict[str, str] | None:
        """Variables that give scripts what they need; None where this machine does not have it."""
        if needs == ["gpu"] and has_gpu():
            return {}
        # What runs on any CPU must do so on a machine with a GPU, too.
        environment = {"CUDA_VISIBLE_DEVICES": ""}
        if not needs:
            return environment
        folders: list[str] = []
        for need in needs if only_old(needs) else ():
            folder = release_folder(need, self._releases)
            if folder is None:  # then the others are not worth fetching
                return None
            folders.append(str(folder))
        return environment | {"PYTHONPATH": os.pathsep.join(folders)} if folders else None

    def _run_script(self, entry: Entry, name: str, environment: Mapping[str, str]) -> Ran:
        source = entry.scripts[name]
        warm = not wants_subprocess(source) and not entry.repro.needs
        sandbox = self._sandbox(heavy_imports(source) if warm else ())
        return sandbox.run(self._kb / "entries" / entry.path / name, environment, warm=warm)

    def _sandbox(self, preload: tuple[str, ...]) -> Sandbox:
        if preload not in self._sandboxes:
            later = [_IMPORTED_LATER[name] for name in preload if name in _IMPORTED_LATER]
            self._sandboxes[preload] = self._open.enter_context(Sandbox([*preload, *later], self._limits))
        return self._sandboxes[preload]


@cache
def has_gpu() -> bool:
    """Whether torch finds a CUDA device; asked in a process of its own, for a fork must not inherit CUDA."""
    if not find_spec("torch"):
        return False
    question = "import sys, torch; sys.exit(not torch.cuda.is_available())"
    return subprocess.run([sys.executable, "-c", question], check=False, capture_output=True).returncode == 0


@cache
def _distributions() -> Mapping[str, list[str]]:
    """Installed distributions by import name; reading them all takes a second."""
    return packages_distributions()


def run_table(entry: Entry, today: date) -> InlineTable:
    """What `[checked] run` says about a run of today on this machine."""
    distributions = _distributions()
    names = dict.fromkeys(["torch", *entry.products])
    # `2.13.0+cpu` is 2.13.0: the device stands beside it.
    versions = {name: version(distributions[name][0]).split("+")[0] for name in names if name in distributions}
    versions |= dict(need.removeprefix(PREFIX).split("==") for need in entry.repro.needs if need.startswith(PREFIX))
    device = "cuda" if "gpu" in entry.repro.needs else "cpu"
    about = {"python": f"{sys.version_info.major}.{sys.version_info.minor}", "device": device}
    table = tomlkit.inline_table()
    table.update(versions | about | {"date": today})
    return table


def _stamp(kb: Path, entry: Entry) -> None:
    """Record the run, unless the same run on the same versions is recorded already."""
    table = run_table(entry, date.today())
    old = entry.checked.run
    if old is not None:
        recorded = old.versions | {"python": old.python, "device": old.device}
        if recorded == {key: value for key, value in table.items() if key != "date"}:
            return
    write_checked(kb / "entries" / entry.path / "entry.toml", {"run": table})


def run_repro(
    kb: Path,
    ids: Sequence[str],
    stamp: bool,
    progress: Callable[[str], None],
    limits: Limits | None = None,
) -> list[Outcome]:
    """Run the scripts of entries, one after the other.

    Args:
        kb: the knowledge folder.
        ids: ids or slugs; none means every entry that can be read.
        stamp: record each passed run in `[checked]` of its entry.toml.
        progress: told about each entry, in one line, as soon as it is done.
        limits: what one script may use.

    Raises:
        UnknownEntryError: no readable entry has one of the ids.
    """
    catalog = Catalog(entries=read_entries(kb)[0], digest="")
    chosen = [catalog.get(entry_id) for entry_id in ids] or list(catalog)
    outcomes = []
    with Runner(kb, limits) as runner:
        for entry in chosen:
            outcome = runner.run(entry)
            if stamp and outcome.state == "passed":
                _stamp(kb, entry)
            outcomes.append(outcome)
            progress(str(outcome))
    return outcomes
