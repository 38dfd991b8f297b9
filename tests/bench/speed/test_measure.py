import os
import subprocess
import sys

import pytest

from bench.speed.client import Load
from bench.speed.measure import figures, measure
from bench.speed.peers import missing
from bench.speed.plan import Ask, Extent
from errdex.bars import BARS, judge
from errdex.settings import Settings
from tests.conftest import ROOT

TINY = Extent(("2 KB",), (1, 2), rounds=1, starts=1, mixed=4, seconds=0.02, growth=5_000)


def blocks(*milliseconds: float) -> list[Load]:
    return [Load([took] * 5, took / 200) for took in milliseconds]


def test_a_whole_run_with_what_is_always_there(settings: Settings) -> None:
    before = os.sched_getaffinity(0)
    said: list[str] = []
    speed = measure(settings, TINY, ("errdex", "echo"), said.append)
    assert os.sched_getaffinity(0) == before
    assert {(cell.system, cell.kind, cell.size, cell.clients) for cell in speed.cells if cell.load == "full"} == {
        (system, kind, size, clients)
        for system, kinds in (("errdex", ("signed", "new", "repeated")), ("echo", ("signed",)))
        for kind in kinds
        for size in TINY.sizes
        for clients in TINY.clients
    }
    assert sum(cell.odd for cell in speed.cells if cell.kind == "signed") == 0
    assert all(0 < cell.p50 <= cell.p95 <= cell.p99 for cell in speed.cells)
    assert set(speed.footprints) == {"errdex", "echo"}
    assert speed.footprints["errdex"].resident > speed.footprints["echo"].resident
    assert said
    unmeasured = {bar.figure for bar in BARS if bar.figure.endswith(("naive", "txtai", "long"))}
    assert {verdict.bar.figure for verdict in judge(speed) if verdict.found is None} == unmeasured
    assert type(speed).model_validate_json(speed.model_dump_json()) == speed


def test_figures_put_the_right_cell_above() -> None:
    cells = {
        Ask("errdex", "signed", "2 KB", 1): blocks(1, 1),
        Ask("errdex", "new", "2 KB", 1): blocks(10, 10),
        Ask("errdex", "new", "300 KB", 1): blocks(12, 12),
        Ask("errdex", "repeated", "2 KB", 1): blocks(0.5, 0.5),
        Ask("errdex", "signed", "2 KB", 16): blocks(2, 2),
        Ask("echo", "signed", "2 KB", 16): blocks(1, 1),
        Ask("naive", "new", "2 KB", 1): blocks(120, 120),
        Ask("txtai", "new", "2 KB", 1): blocks(250, 250),
    }
    found = {name: round(figure.value, 3) for name, figure in figures(cells, {}).items()}
    assert found["signed_rate_to_echo"] == 0.5
    assert found["signed_p50"] == 1
    assert found["new_gain_naive"] == 12
    assert found["new_gain_txtai"] == 25
    assert found["new_long"] == 1.2
    assert found["repeated_gain"] == 20
    assert "signed_long" not in found, "it was not measured"


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.speed.peers.find_spec", lambda name: None if name == "fastapi_mcp" else name)
    assert missing("txtai") == ["fastapi_mcp"]
    assert missing("naive") == missing("echo") == []


def test_the_script_says_why_it_stops(tmp_path_factory: pytest.TempPathFactory) -> None:
    empty = tmp_path_factory.mktemp("no-index")
    environment = os.environ | {"ERRDEX_INDEX": str(empty), "PYTHONPATH": str(ROOT / "api")}
    done = subprocess.run(
        [sys.executable, "-m", "bench.speed", "--quick"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "errdex index" in done.stderr
    assert done.stdout == ""
