"""Writes a version of the index beside the others and makes it the current one: whole, or not at all.

Files go to a new folder and are flushed, the folder is renamed, and only then the pointer is replaced. A process that
dies in between leaves rests under names that no reader looks at; the next writer removes them.
"""

import contextlib
import os
import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path

from errdex.errors import IndexWriteError
from errdex.folders import alone, sync
from errdex.manifest import MANIFEST_FILE, FileRecord, Manifest, version_name
from errdex.versions import CURRENT, current_version

_KEPT_VERSIONS = 2  # the one in use, and the one before it for servers that are still swapping
_CHUNK = 1 << 20
_LOCK = ".lock"
_BUILDING, _POINTING = ".building-", f".{CURRENT}-"


def write_version(root: Path, manifest: Manifest, files: Mapping[str, bytes]) -> Path:
    """Write a version and make it the current one.

    Args:
        root: folder of all versions.
        manifest: what the index is; the record of its files is filled in here.
        files: what `read_version` will give back.

    Returns:
        The new version's folder.

    Raises:
        IndexWriteError: the disk is full, the folder may not be written, or the like; what was current still is, unless
            all but the last flush had succeeded.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        with alone(root / _LOCK):
            _remove_rests(root)
            version = _write(root, manifest, files)
            _prune(root, version)
            return version
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise IndexWriteError(
            f"The index cannot be written to {root} ({reason}). An index that was in use there is still whole; "
            "mend this and run `errdex index` again.",
        ) from error


def _write(root: Path, manifest: Manifest, files: Mapping[str, bytes]) -> Path:
    # A new name each time: not even a version of the same content is touched while a reader may be in it.
    build = uuid.uuid4().hex
    records = {name: FileRecord.of(data) for name, data in sorted(files.items())}
    record = manifest.model_copy(update={"build": build, "files": records}).model_dump_json(indent=1).encode()
    work, pointer, version = root / f"{_BUILDING}{build}", root / f"{_POINTING}{build}", root / version_name(record)
    try:
        work.mkdir()
        for name, data in files.items():
            _write_file(work / name, data)
        _write_file(work / MANIFEST_FILE, record)
        sync(work)
        work.rename(version)
        sync(root)  # the folder must be there before anything names it
        _write_file(pointer, version.name.encode())
        pointer.replace(root / CURRENT)
    except OSError:
        shutil.rmtree(work, ignore_errors=True)
        with contextlib.suppress(OSError):
            pointer.unlink(missing_ok=True)
        if current_version(root) != version.name:
            shutil.rmtree(version, ignore_errors=True)
        raise
    sync(root)
    return version


def _write_file(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest[:_CHUNK]) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(path: Path) -> None:
    """Remove a file or a folder; what cannot be removed now is left to the next writer."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def _remove_rests(root: Path) -> None:
    """Remove what dead writers left; this one holds the lock, so there is no live one."""
    for path in list(root.iterdir()):
        if path.name.startswith((_BUILDING, _POINTING)):
            _remove(path)


def _prune(root: Path, current: Path) -> None:
    with contextlib.suppress(OSError):  # the new version is in use: an old one too many is no failure
        versions = sorted(root.glob("v-*"), key=lambda path: path.lstat().st_mtime_ns, reverse=True)
        for old in [path for path in versions if path != current][_KEPT_VERSIONS - 1 :]:
            _remove(old)
