"""The writer is killed, or fails, at its calls; in a process of its own, since a fork takes no threads along."""

import json
import os
import subprocess
import sys

import pytest

from bench.faults.kills import strace_works
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


def test_killed_at_any_call_of_the_system_functions_the_old_index_or_the_new_one_is_there() -> None:
    outcomes = kills("--ways", "wrapped", "--actions", "KILL")["wrapped KILL"]["outcomes"]
    assert outcomes.keys() == {"old", "new"}
    assert outcomes["old"] > 20


@pytest.mark.parametrize("action", ["ENOSPC", "EIO", "EACCES"])
def test_failing_at_calls_the_old_index_or_the_new_one_is_there_and_the_error_is_clear(action: str) -> None:
    outcomes = kills("--ways", "wrapped", "--actions", action, "--step", "4")[f"wrapped {action}"]["outcomes"]
    assert outcomes.keys() <= {"old, told", "new, told", "new"}
    assert outcomes["old, told"] > 5


@pytest.mark.skipif(not strace_works(), reason="strace is missing or may not attach; the test above needs neither")
def test_killed_at_system_calls_the_old_index_or_the_new_one_is_there() -> None:
    outcomes = kills("--ways", "strace", "--actions", "KILL", "--step", "7")["strace KILL"]["outcomes"]
    assert outcomes.keys() == {"old", "new"}
