"""What is shipped: a wheel that carries the knowledge and the model, and works far from the checkout."""

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    # The source archive first and the wheel from it, as a release does; without isolation: the backend is installed.
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return next(out.glob("*.whl"))


def test_the_wheel_holds_the_knowledge_and_the_model_and_nothing_else_at_the_top(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"errdex"}
    entries = {path.relative_to(ROOT / "kb").as_posix() for path in (ROOT / "kb" / "entries").rglob("entry.toml")}
    assert {f"errdex/kb/{entry}" for entry in entries} <= set(names)
    assert {"errdex/model/encoder.onnx", "errdex/model/tokenizer.json", "errdex/ranking.json"} <= set(names)
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


def test_installed_alone_it_looks_an_error_up(wheel: Path, tmp_path: Path) -> None:
    folder = tmp_path / "venv"
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    constraints = ROOT / "constraints.txt"
    install = [python, "-m", "pip", "install", "-q", "--no-compile", "--disable-pip-version-check", "-c", constraints, wheel]
    subprocess.run([str(part) for part in install], check=True, capture_output=True, text=True)
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("ERRDEX_", "PYTHON"))}
    # One area of what was installed: encoding all of it takes a minute and shows nothing more.
    (shipped,) = folder.glob("lib/python*/site-packages/errdex/kb")
    shutil.copytree(shipped / "entries" / "dsp", tmp_path / "kb" / "entries" / "dsp")
    shutil.copytree(shipped / "entries" / "amp" / "unscale-fp16-gradients", tmp_path / "kb/entries/amp/unscale-fp16-gradients")
    done = subprocess.run(
        [folder / "bin" / "errdex", "lookup"],
        input="ValueError: Attempting to unscale FP16 gradients.",
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=clean | {"XDG_CACHE_HOME": str(tmp_path / "cache"), "ERRDEX_KB": str(tmp_path / "kb")},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "AMP003" in done.stdout
    listed = subprocess.run([python, "-m", "pip", "list"], check=True, capture_output=True, text=True).stdout
    assert not {"torch", "sentence-transformers", "mkdocs"} & {line.split()[0].lower() for line in listed.splitlines() if line}
