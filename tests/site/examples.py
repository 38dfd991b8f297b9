"""The examples of a page: fences that are files, commands or cells, and the outputs shown below them."""

import os
import re
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT

_FENCE = re.compile(r'^```(?P<kind>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<body>.*?)\n```$', re.MULTILINE | re.DOTALL)
_RUN = ("bash", "ipython")


@dataclass(frozen=True)
class Example:
    """A fence with a title is a file; `bash` and `ipython` without one are run, and a fence right after may show the output."""

    kind: str
    title: str | None
    body: str

    @property
    def runs(self) -> bool:
        return self.title is None and self.kind in _RUN


def examples(markdown: str) -> list[Example]:
    """Every fence that names its language, in order."""
    return [Example(m["kind"], m["title"], m["body"]) for m in _FENCE.finditer(markdown)]


def as_shown(expected: str, output: str) -> bool:
    """Whether the output reads as shown: `…` stands for any text, on a line of its own for any lines."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "…" else ".*".join(re.escape(part) for part in line.split("…")) + "\n"
        for line in expected.rstrip("\n").split("\n")
    )
    read = "".join(f"{line.rstrip()}\n" for line in output.rstrip("\n").split("\n"))
    return re.fullmatch(pattern, read) is not None


def _command(path: Path, *words: str) -> None:
    path.write_text("#!/bin/sh\nexec " + " ".join(f"'{word}'" for word in words) + ' "$@"\n', encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@dataclass(frozen=True)
class Desk:
    """A folder in which examples are tried, with this very errdex and Python on its path."""

    folder: Path
    environment: dict[str, str]

    @classmethod
    def at(cls, folder: Path, **environment: str) -> "Desk":
        commands = folder / ".commands"
        commands.mkdir()
        _command(commands / "python3", sys.executable)
        _command(commands / "errdex", sys.executable, "-m", "errdex")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ERRDEX_", "GITHUB_", "GIT_"))}
        own = {
            "PATH": f"{commands}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "api"),
            "HOME": str(folder),
            "IPYTHONDIR": str(folder / ".ipython"),
            "COLUMNS": "200",
            "NO_COLOR": "1",
        }
        return cls(folder, kept | own | environment)

    def run(self, example: Example) -> str:
        """What the example prints.

        Raises:
            AssertionError: it fails.
        """
        command = ["bash", "-e", "-c", example.body]
        if example.kind == "ipython":
            command = [sys.executable, "-m", "IPython", "--no-banner", "--colors=NoColor", "-c", example.body]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0 or example.kind == "ipython", f"{example.body}\n{done.stdout}\n{done.stderr}"
        return done.stdout
