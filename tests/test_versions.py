"""A reader of the folder of versions takes plain files with their recorded bytes, and nothing else."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from errdex.errors import IndexNotReadyError
from errdex.manifest import FORMAT, MANIFEST_FILE, Manifest
from errdex.versions import named_version, read_manifest, read_version
from errdex.writer import write_version

FILES = {"a.json": b"{}", "b.npy": b"12345678"}
MANIFEST = Manifest(format=FORMAT, content="c", encoder="e", dimension=1, entries=1)


def replaced_by_link(path: Path) -> None:
    aside = path.with_name("aside")
    path.rename(path.parent.parent / "aside")
    path.symlink_to(path.parent.parent / aside.name)


def replaced_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def replaced_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def replaced_by_device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


@pytest.mark.skipif(os.name == "nt", reason="no such files there")
@pytest.mark.parametrize("name", ["a.json", MANIFEST_FILE, "../current"])
@pytest.mark.parametrize("replace", [replaced_by_link, replaced_by_folder, replaced_by_pipe, replaced_by_device])
def test_what_is_no_plain_file_is_refused(tmp_path: Path, name: str, replace: Callable[[Path], None]) -> None:
    version = write_version(tmp_path, MANIFEST, FILES)
    replace(version / name)
    with pytest.raises(IndexNotReadyError, match="errdex index"):
        read_version(tmp_path, named_version(tmp_path), FILES)


@pytest.mark.skipif(os.name == "nt", reason="links are for the privileged there")
def test_a_version_that_is_a_link_is_refused(tmp_path: Path) -> None:
    version = write_version(tmp_path, MANIFEST, FILES)
    version.rename(tmp_path / "aside")
    version.symlink_to(tmp_path / "aside")
    with pytest.raises(IndexNotReadyError, match="not a folder"):
        read_version(tmp_path, version.name, FILES)


@pytest.mark.parametrize(
    "pointer", ["..", "../v-" + "0" * 64, "/etc", "V-" + "0" * 64, "v-" + "0" * 63, "v-" + "0" * 65, "v-" + "g" * 64, "x" * 300]
)
def test_a_pointer_out_of_the_folder_is_refused(tmp_path: Path, pointer: str) -> None:
    write_version(tmp_path, MANIFEST, FILES)
    (tmp_path / "current").write_text(pointer, encoding="utf-8")
    with pytest.raises(IndexNotReadyError, match="errdex index"):
        named_version(tmp_path)
    assert read_manifest(tmp_path) is None


@pytest.mark.parametrize("expected", [{"a.json"}, {"a.json", "b.npy", "c"}, {"a.json", "c"}])
def test_a_manifest_of_other_files_is_refused(tmp_path: Path, expected: set[str]) -> None:
    version = write_version(tmp_path, MANIFEST, FILES)
    with pytest.raises(IndexNotReadyError, match="does not name the files"):
        read_version(tmp_path, version.name, expected)


def test_a_manifest_that_claims_more_than_an_index_can_have_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = write_version(tmp_path, MANIFEST, FILES)
    monkeypatch.setattr("errdex.versions.MAX_BYTES", 9)
    with pytest.raises(IndexNotReadyError, match="larger than"):
        read_version(tmp_path, version.name, FILES)
