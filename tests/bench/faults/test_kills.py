"""The writer is killed, or fails, at its calls; in a process of its own, since a fork takes no threads along."""

import json
import os
import subprocess
import sys

import pytest

from bench.faults.kills import ACTIONS, strace_works
from tests.conftest import ROOT


def kills(*arguments: str) -> dict[str, dict[str, dict[str, int]]]:
    done = subprocess.run(
        [sys.executable, "-m", "bench.faults.kills", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT / "api")},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(done.stdout)
    return {name: figures[name] for name in figures if isinstance(figures[name], dict)}


def test_killed_or_failing_at_calls_of_the_system_functions_the_old_index_or_the_new_one_is_there() -> None:
    figures = kills("--ways", "wrapped", "--step", "3")
    assert figures.keys() == {f"wrapped {action}" for action in ACTIONS}
    for name, figure in figures.items():
        outcomes = figure["outcomes"]
        wanted = {"old", "new"} if name.endswith("KILL") else {"old, told", "new, told", "new"}
        assert outcomes.keys() <= wanted
        assert outcomes.get("old", 0) + outcomes.get("old, told", 0) > 10
        assert outcomes["new"] >= 1


@pytest.mark.skipif(not strace_works(), reason="strace is missing or may not attach; the test above needs neither")
def test_killed_at_system_calls_the_old_index_or_the_new_one_is_there() -> None:
    outcomes = kills("--ways", "strace", "--actions", "KILL", "--step", "9")["strace KILL"]["outcomes"]
    assert outcomes.keys() == {"old", "new"}
