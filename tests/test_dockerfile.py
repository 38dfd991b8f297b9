"""The container's build, as far as a machine without a container engine can show it."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.conftest import ROOT

# What is tried are the steps, not the knowledge: these are enough to build an index and a site from.
_KEPT = ("unscale-fp16-gradients", "loss-nan-with-fp16", "cuda-out-of-memory")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def instructions() -> list[tuple[str, str]]:
    joined = DOCKERFILE.replace("\\\n", " ")
    return [(m[1], m[2].strip()) for m in re.finditer(r"^([A-Z]+) (.*)$", joined, re.MULTILINE)]


def stages() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The instructions that build, and those of the image that is left."""
    found = instructions()
    final = max(place for place, (name, _) in enumerate(found) if name == "FROM")
    return found[:final], found[final:]


def test_hadolint_has_nothing_to_say() -> None:
    command = [Path(sys.executable).with_name("hadolint"), ROOT / "Dockerfile"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_final_stage_runs_as_nobody_and_checks_its_health() -> None:
    named = dict(stages()[1])
    assert named["USER"] == "10001:10001"
    assert "/readyz" in named["HEALTHCHECK"]
    assert named["ENTRYPOINT"].startswith('["')
    assert named["STOPSIGNAL"] == "SIGTERM"


def test_what_is_written_lies_in_the_volume() -> None:
    final = stages()[1]
    volume = dict(final)["VOLUME"]
    environment = next(arguments for name, arguments in final if name == "ENV")
    assert f"ERRDEX_STORE=sqlite:///{volume}/" in environment
    (folder,) = (arguments for name, arguments in final if name == "RUN")
    assert folder.startswith("install -d -o 10001 -g 10001 ")
    assert folder.endswith(f" {volume}")


def test_everything_that_is_copied_is_in_the_context() -> None:
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line.startswith("!")}
    for name, arguments in instructions():
        if name == "COPY" and "--from" not in arguments:
            sources = arguments.split()[:-1]
            assert set(sources) <= allowed
            assert all((ROOT / source).exists() for source in sources)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The build stage's own steps, run in a copy of its context; only `/opt/errdex` stands elsewhere."""
    root = tmp_path_factory.mktemp("image")
    source, target = root / "src", root / "opt"
    source.mkdir()
    for name, arguments in stages()[0]:
        if name == "COPY":
            *sources, destination = arguments.split()
            for path in sources:
                to = source / destination if destination != "./" else source / path
                to.parent.mkdir(parents=True, exist_ok=True)
                copy = shutil.copytree if (ROOT / path).is_dir() else shutil.copy
                copy(ROOT / path, to)
            for folder in (source / "kb" / "entries").glob("*/*"):
                if folder.name not in _KEPT:
                    shutil.rmtree(folder)
        elif name == "RUN":
            clean = {key: value for key, value in os.environ.items() if not key.startswith("ERRDEX_")}
            clean["PIP_NO_COMPILE"] = "1"  # for time
            step = arguments.replace("/opt/errdex", str(target))
            done = subprocess.run(step, shell=True, cwd=source, env=clean, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{arguments}\n{done.stderr}"
    shutil.rmtree(source)  # the final stage has only what was built
    return target


def test_the_built_tree_serves_the_api_and_the_site(built: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {"ERRDEX_INDEX": str(built / "index"), "ERRDEX_SITE": str(built / "site"), "PATH": os.environ["PATH"]}
    server = subprocess.Popen(
        [built / "bin" / "errdex", "serve", "--port", str(port)],
        env=environment,
        cwd=built,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                ready = urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2).status
                break
            except OSError:
                assert server.poll() is None, "the server stopped"
                assert time.monotonic() < deadline, "the server did not become ready"
        assert ready == 200
        page = urllib.request.urlopen(f"http://127.0.0.1:{port}/zh-TW/amp/unscale-fp16-gradients/", timeout=5)
        assert "梯度" in page.read().decode("utf-8")
    finally:
        server.terminate()
        server.wait()
