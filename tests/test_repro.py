"""Running scripts: fidelity to a plain Python, the fence around them, and the judgement of what they did."""

import os
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from errdex.catalog import read_entries
from errdex.entry import Entry
from errdex.repro import Outcome, heavy_imports, judge, run_repro, wants_subprocess
from errdex.sandbox import Limits, Ran, Sandbox, SandboxError
from tests.trees import ENTRY_TOML, FILES, plant

QUICK = Limits(seconds=30, memory=256 << 20, output=1 << 16)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox((), QUICK) as opened:
        yield opened


def write(folder: Path, source: str) -> Path:
    path = folder / "script.py"
    path.write_text(source, encoding="utf-8")
    return path


FAITHFUL = {
    "chained traceback": 'import warnings\nwarnings.warn("w")\ndef f():\n    try:\n        1 / 0\n    except Exception as e:\n'
    '        raise ValueError("x") from e\nprint("before")\nf()\n',
    "stack": 'import traceback, warnings\ntraceback.print_stack()\nwarnings.warn("deep", stacklevel=9)\n',
    "exit with a message": 'import sys\nprint("said")\nsys.exit("stopped")\n',
    "syntax error": "def f(:\n",
    "thread": "import threading\nt = threading.Thread(target=lambda: 1 / 0, name='worker')\nt.start()\nt.join()\n",
    "atexit": "import atexit\natexit.register(print, 'bye')\nraise KeyError('k')\n",
    "hook": "import sys\nsys.excepthook = lambda *a: print('hook', a[1])\n1 / 0\n",
    "place": "import os, sys\nprint(__name__, __file__, sys.argv, sys.path, os.getcwd(), os.listdir(), os.environ, sys.flags)\n",
    "standard input": "import sys\nprint(repr(sys.stdin.read()))\n",
    "spawn": "import multiprocessing as mp\ndef f(x):\n    return x + 1\nif __name__ == '__main__':\n"
    "    with mp.get_context('spawn').Pool(1) as p:\n        print(p.map(f, [1]))\n",
}


@pytest.mark.parametrize("source", FAITHFUL.values(), ids=FAITHFUL.keys())
def test_a_fork_does_what_a_plain_python_does(sandbox: Sandbox, tmp_path: Path, source: str) -> None:
    script = write(tmp_path, source)
    fork, plain = sandbox.run(script), sandbox.run(script, warm=False)
    assert (fork.status, fork.output, fork.stopped) == (plain.status, plain.output, None)


def test_a_traceback_is_that_of_a_subprocess_of_ours(sandbox: Sandbox, tmp_path: Path) -> None:
    script = write(tmp_path, FAITHFUL["chained traceback"])
    ran = sandbox.run(script)
    plain = subprocess.run([sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    own_path = ran.output.split(":")[0]
    assert ran.status == plain.returncode == 1
    assert ran.output.replace(own_path, str(script)) == plain.stdout


def test_warm_modules_are_there_and_state_does_not_leak(tmp_path: Path) -> None:
    source = "import sys\nprint('colorsys' in sys.modules)\nimport colorsys, os, pathlib\nprint(hasattr(colorsys, 'mark'))\n"
    source += "colorsys.mark = 1\npathlib.Path('left').touch()\npathlib.Path.home().joinpath('left').touch()\n"
    script = write(tmp_path, source + "print(os.listdir('..'), os.listdir(pathlib.Path.home()))\n")
    with Sandbox(["colorsys"], QUICK) as warm:
        first, second = warm.run(script), warm.run(script)
    assert first.output.startswith("True\nFalse\n")
    assert first.output == second.output


def test_time_is_limited(tmp_path: Path) -> None:
    with Sandbox((), Limits(seconds=0.3)) as strict:
        ran = strict.run(write(tmp_path, "print('begun', flush=True)\nwhile True:\n    pass\n"))
        assert (ran.stopped, ran.status, ran.output) == ("time", -9, "begun\n")
        assert ran.seconds < 5
        assert strict.run(write(tmp_path, "print('next')\n")).output == "next\n"


def test_memory_is_limited(sandbox: Sandbox, tmp_path: Path) -> None:
    ran = sandbox.run(write(tmp_path, "kept = []\nwhile True:\n    kept.append(b'1' * (8 << 20))\n"))
    assert (ran.stopped, ran.status) == ("memory", -9)


def test_memory_of_children_counts(sandbox: Sandbox, tmp_path: Path) -> None:
    child = "import time; kept = b'1' * (100 << 20); time.sleep(30)"
    source = f"import subprocess, sys\nall = [subprocess.Popen([sys.executable, '-c', {child!r}]) for _ in range(3)]\n"
    assert sandbox.run(write(tmp_path, source + "[one.wait() for one in all]\n")).stopped == "memory"


def test_output_is_limited(sandbox: Sandbox, tmp_path: Path) -> None:
    ran = sandbox.run(write(tmp_path, "while True:\n    print('y' * 1000)\n"))
    assert (ran.stopped, len(ran.output)) == ("output", QUICK.output)


def test_what_a_script_leaves_running_is_ended(sandbox: Sandbox, tmp_path: Path) -> None:
    source = "import subprocess\np = subprocess.Popen(['sleep', '600'], start_new_session=True, stdout=subprocess.DEVNULL,"
    ran = sandbox.run(write(tmp_path, source + " stderr=subprocess.DEVNULL)\nprint(p.pid)\n"))
    assert ran.status == 0
    assert not Path(f"/proc/{ran.output.strip()}").exists()


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root may leave the network")
def test_only_loopback_is_left_of_the_network(sandbox: Sandbox, tmp_path: Path) -> None:
    source = "import socket\nprint([name for _, name in socket.if_nameindex()])\ns = socket.create_server(('127.0.0.1', 0))\n"
    source += "c = socket.create_connection(s.getsockname())\nprint('connected')\nsocket.create_connection(('192.0.2.1', 80))\n"
    ran = sandbox.run(write(tmp_path, source))
    assert ran.output.startswith("['lo']\nconnected\n")
    assert "Network is unreachable" in ran.output
    assert len(socket.if_nameindex()) >= 1


def test_hanging_up_ends_a_running_script(tmp_path: Path) -> None:
    flag = tmp_path / "pid"
    source = f"import os, pathlib, time\npathlib.Path({str(flag)!r}).write_text(str(os.getpid()))\ntime.sleep(600)\n"
    code = f"from errdex.sandbox import *\nwith Sandbox() as s:\n    s.run(Path({str(write(tmp_path, source))!r}))\n"
    api = str(Path(__file__).parents[1] / "api")
    owner = subprocess.Popen([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": api})
    deadline = time.monotonic() + 30
    while not (flag.exists() and flag.read_text()) and time.monotonic() < deadline:
        time.sleep(0.01)
    owner.kill()
    owner.wait()
    while Path(f"/proc/{flag.read_text()}").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not Path(f"/proc/{flag.read_text()}").exists()


def test_a_warm_process_that_dies_says_why(tmp_path: Path) -> None:
    with Sandbox(["no_such_module"]) as dead, pytest.raises(SandboxError, match="no_such_module"):
        dead.run(write(tmp_path, ""))


def entry_with(tmp_path: Path, toml: str = ENTRY_TOML) -> Entry:
    plant(tmp_path, {"entry.toml": toml})
    return read_entries(tmp_path)[0]["AMP001"]


RAISED = Ran(1, "[rank0]: ValueError: the lever is stuck at 3\n", None, 0.1)
FINE = Ran(0, "moved\n", None, 0.1)
PRINTS = ENTRY_TOML.replace("needs = []", "needs = []\nprints = true")
VERDICTS = [
    (ENTRY_TOML, RAISED, FINE, ""),
    (ENTRY_TOML, Ran(0, RAISED.output, None, 0.1), FINE, "broken.py ended with status 0; it must raise"),
    (ENTRY_TOML, Ran(1, "ValueError: other\n", None, 0.1), FINE, "broken.py did not print what a signature"),
    (ENTRY_TOML, Ran(-9, RAISED.output, "time", 120), FINE, "broken.py ran out of time"),
    (ENTRY_TOML, RAISED, Ran(1, "moved\n", None, 0.1), "fixed.py ended with status 1; it must end with 0"),
    (ENTRY_TOML, RAISED, Ran(0, RAISED.output, None, 0.1), "fixed.py still prints"),
    (ENTRY_TOML, Ran(1, "ValueError: the lever is\nstuck at 3\n", None, 0.1), FINE, ""),
    (PRINTS, Ran(0, RAISED.output, None, 0.1), FINE, ""),
    (PRINTS, RAISED, FINE, "broken.py ended with status 1; an error that is only printed"),
]


@pytest.mark.parametrize(("toml", "broken", "fixed", "fault"), VERDICTS)
def test_judgement(tmp_path: Path, toml: str, broken: Ran, fixed: Ran, fault: str) -> None:
    said = judge(entry_with(tmp_path, toml), {"broken.py": broken, "fixed.py": fixed})
    assert said.startswith(fault)
    assert bool(said) == bool(fault)


def test_a_missing_script_is_a_fault(tmp_path: Path) -> None:
    assert judge(entry_with(tmp_path), {"broken.py": RAISED}).startswith("fixed.py is missing")


def run(kb: Path, ids: tuple[str, ...] = (), *, stamp: bool = False) -> list[Outcome]:
    return run_repro(kb, ids, stamp, lambda line: None, QUICK)


@pytest.mark.parametrize(
    ("changed", "state", "reason"),
    [
        ({}, "passed", ""),
        ({"broken.py": "print('fine')\n"}, "failed", "broken.py ended with status 0"),
        ({"fixed.py": FILES["broken.py"]}, "failed", "fixed.py ended with status 1"),
        ({"fixed.py": None}, "failed", "fixed.py is missing"),
        ({"entry.toml": ENTRY_TOML.replace("needs = []", 'needs = ["windows"]')}, "skipped", "needs windows"),
        ({"entry.toml": ENTRY_TOML.replace("needs = []", 'none = "too dear"')}, "none", "too dear"),
        ({"entry.toml": ENTRY_TOML.replace('"active"', '"retired"')}, "skipped", "retired"),
    ],
)
def test_outcomes(tmp_path: Path, changed: dict[str, str | None], state: str, reason: str) -> None:
    plant(tmp_path, changed)
    (outcome,) = run(tmp_path)
    assert (outcome.state, outcome.failed) == (state, state == "failed")
    assert outcome.reason.startswith(reason)


def test_progress_is_told_line_by_line(tmp_path: Path) -> None:
    plant(tmp_path)
    lines: list[str] = []
    run_repro(tmp_path, ["lever-is-stuck"], False, lines.append, QUICK)
    assert lines == ["AMP001: passed"]


def test_a_passed_run_is_stamped_once(tmp_path: Path) -> None:
    folder = plant(tmp_path)
    path = folder / "entry.toml"
    before = path.read_text(encoding="utf-8")
    run(tmp_path, stamp=True)
    text = path.read_text(encoding="utf-8")
    checked = tomllib.loads(text)["checked"]
    assert text.startswith(before[: before.index("[checked]")])
    assert list(checked) == ["run", "zh-CN", "zh-TW"]
    assert list(checked["run"]) == ["torch", "python", "device", "date"]
    assert checked["run"]["device"] == "cpu"
    assert checked["run"]["date"] == date.today()
    path.write_text(text.replace(str(date.today()), "2020-01-01"), encoding="utf-8")
    run(tmp_path, stamp=True)
    assert "2020-01-01" in path.read_text(encoding="utf-8")
    path.write_text(path.read_text(encoding="utf-8").replace('torch = "', 'torch = "0.'), encoding="utf-8")
    run(tmp_path, stamp=True)
    assert path.read_text(encoding="utf-8") == text


def test_a_failed_run_is_not_stamped(tmp_path: Path) -> None:
    folder = plant(tmp_path, {"broken.py": "print('fine')\n"})
    before = (folder / "entry.toml").read_bytes()
    run(tmp_path, stamp=True)
    assert (folder / "entry.toml").read_bytes() == before


@pytest.mark.parametrize(
    ("source", "heavy", "plain"),
    [
        ("import torch.nn as nn\nfrom transformers import x\n", ("torch", "transformers"), False),
        ("def f():\n    from accelerate.utils import x\n", ("accelerate",), False),
        ("from . import torch\nimport torchvision\n", (), False),
        ("def f(:\n", (), False),
        ("# repro: subprocess\nimport torch\n", ("torch",), True),
        ("# a word\n# repro: subprocess\n", (), False),
        ("import os\nos.environ['A'] = 'b'\nimport torch\n", ("torch",), True),
    ],
)
def test_what_a_script_starts_from(source: str, heavy: tuple[str, ...], plain: bool) -> None:
    assert (heavy_imports(source), wants_subprocess(source)) == (heavy, plain)
