"""Old releases come from wheels that lie in a folder: nothing is fetched from anywhere."""

import zipfile
from pathlib import Path

import pytest

from errdex.catalog import read_entries
from errdex.releases import only_old, release_folder
from errdex.repro import Runner
from tests.trees import ENTRY_TOML, plant

METADATA = "Metadata-Version: 2.1\nName: levers\nVersion: {version}\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n"


def make_wheel(folder: Path, version: str, tag: str) -> None:
    """A wheel with one module that raises what its version raises."""
    info = f"levers-{version}.dist-info"
    with zipfile.ZipFile(folder / f"levers-{version}-{tag}.whl", "w") as wheel:
        wheel.writestr("levers.py", "def move():\n    raise ValueError('the lever is stuck at 3')\n")
        wheel.writestr(f"{info}/METADATA", METADATA.format(version=version))
        wheel.writestr(f"{info}/WHEEL", WHEEL.format(tag=tag))
        wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture(autouse=True)
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    make_wheel(wheels, "1.0", "py3-none-any")
    make_wheel(wheels, "2.0", "cp311-cp311-manylinux_2_17_x86_64")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))


def test_a_pure_release_is_fetched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = release_folder("old:levers==1.0", tmp_path / "cache")
    assert folder is not None
    assert (folder / "levers.py").is_file()
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "gone"))
    assert release_folder("old:levers==1.0", tmp_path / "cache") == folder


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_a_compiled_or_unknown_release_is_not_to_be_had_and_leaves_nothing(tmp_path: Path, version: str) -> None:
    assert release_folder(f"old:levers=={version}", tmp_path / "cache") is None
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.parametrize(
    ("needs", "only"),
    [([], False), (["old:levers==1.0"], True), (["gpu", "old:levers==1.0"], False), (["gpu"], False)],
)
def test_only_old_releases(needs: list[str], only: bool) -> None:
    assert only_old(needs) is only


@pytest.mark.parametrize(("version", "state"), [("1.0", "passed"), ("2.0", "skipped")])
def test_scripts_run_with_the_old_release_in_front(tmp_path: Path, version: str, state: str) -> None:
    toml = ENTRY_TOML.replace("needs = []", f'needs = ["old:levers=={version}"]')
    plant(tmp_path, {"entry.toml": toml, "broken.py": "import levers\n\nlevers.move()\n", "fixed.py": "import levers\n"})
    with Runner(tmp_path, releases=tmp_path / "cache") as runner:
        assert runner.run(read_entries(tmp_path)[0]["AMP001"]).state == state
