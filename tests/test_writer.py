"""One writer at a time, rests of dead ones removed, and an error that says what is wrong."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from errdex import folders
from errdex.errors import IndexWriteError
from errdex.manifest import FORMAT, Manifest
from errdex.versions import current_version, named_version, read_version
from errdex.writer import write_version

FILES = {"a.json": b"{}", "empty": b"", "b.npy": bytes(range(256)) * 5000}
MANIFEST = Manifest(format=FORMAT, content="c", encoder="e", dimension=1, entries=1)
HOLD = (
    "import fcntl, sys; f = open(sys.argv[1], 'ab'); fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); sys.stdin.read()"
)


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    version = write_version(tmp_path / "a" / "b", MANIFEST, FILES)
    read = read_version(version.parent, version.name, FILES)
    assert (read.files, read.name) == (FILES, current_version(version.parent))
    assert read.manifest.model_copy(update={"build": "", "files": {}}) == MANIFEST


def test_rests_of_dead_writers_are_removed(tmp_path: Path) -> None:
    write_version(tmp_path, MANIFEST, FILES)
    (tmp_path / ".building-0a1b" / "deep").mkdir(parents=True)
    (tmp_path / ".building-0a1b" / "b.npy").write_bytes(b"torn")
    (tmp_path / ".building-file").write_bytes(b"torn")
    (tmp_path / ".current-dead").write_text("v-gone", encoding="utf-8")
    (tmp_path / ".building-link").symlink_to(tmp_path / named_version(tmp_path))
    (tmp_path / "notes.txt").write_text("somebody's own", encoding="utf-8")
    old = named_version(tmp_path)
    new = write_version(tmp_path, MANIFEST, FILES).name
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([".lock", "current", "notes.txt", old, new])
    read_version(tmp_path, old, FILES)


def test_a_writer_waits_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fcntl")
    write_version(tmp_path, MANIFEST, FILES)
    before = named_version(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / ".lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        monkeypatch.setattr(folders, "_LOCK_SECONDS", 0.2)
        with pytest.raises(IndexWriteError, match="Another process"):
            write_version(tmp_path, MANIFEST, FILES)
        assert named_version(tmp_path) == before
        holder.kill()  # its lock goes with it
        holder.wait()
        monkeypatch.undo()
        assert write_version(tmp_path, MANIFEST, FILES).name != before


@pytest.mark.parametrize("call", ["write", "fsync", "mkdir", "rename", "replace"])
def test_what_fails_is_told_and_leaves_no_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    write_version(tmp_path, MANIFEST, FILES)
    before = sorted(path.name for path in tmp_path.iterdir())

    def full(*given: object, **named: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, call, full)
        with pytest.raises(IndexWriteError, match="No space left") as raised:
            write_version(tmp_path, MANIFEST, FILES)
    assert "errdex index" in raised.value.detail
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "index").write_bytes(b"")
    with pytest.raises(IndexWriteError, match=r"File exists|Not a directory"):
        write_version(tmp_path / "index", MANIFEST, FILES)
