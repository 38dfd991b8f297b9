"""The folder of index versions, as a reader sees it: nothing is handed on that is not, byte for byte, what was written.

The file `current` names a version's folder; the name is the SHA-256 of the manifest in it, and the manifest holds size and
SHA-256 of every other file. What is hashed is what is used: each file is read once. Who can write the folder can write
an index of his own, whole and consistent; nothing here keeps him from it.
"""

import os
import stat
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from errdex.errors import IndexNotReadyError
from errdex.manifest import FORMAT, MANIFEST_FILE, MAX_BYTES, FileRecord, Manifest, is_version_name, version_name

CURRENT = "current"
_REMEDY = "run `errdex index`"
_MAX_POINTER = 256
_MAX_MANIFEST = 64 << 10
# Links are not followed, and a pipe in place of a file does not keep the reader waiting. Windows has neither.
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class Version:
    """A version that was read whole and found unchanged."""

    name: str
    manifest: Manifest
    files: Mapping[str, bytes]


def _damaged(what: str) -> IndexNotReadyError:
    return IndexNotReadyError(f"The index is damaged: {what}; {_REMEDY}.")


def _read(path: Path, limit: int) -> bytes:
    """A plain file's bytes, if it has no more than `limit`.

    Raises:
        IndexNotReadyError: it has more, or it is no plain file.
        OSError: it cannot be read.
    """
    with os.fdopen(os.open(path, _READ), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise _damaged(f"{path.name} is not a plain file")
        data = file.read(limit + 1)
    if len(data) > limit:
        raise _damaged(f"{path.name} is longer than it may be")
    return data


def named_version(root: Path) -> str:
    """Name of the current version.

    Raises:
        IndexNotReadyError: there is none, or the pointer to it is damaged.
    """
    try:
        name = _read(root / CURRENT, _MAX_POINTER).decode("ascii").strip()
    except (FileNotFoundError, NotADirectoryError):
        raise IndexNotReadyError(f"There is no index yet; {_REMEDY}.") from None
    except OSError as error:
        raise IndexNotReadyError(f"The index cannot be read ({error.strerror}: {CURRENT}); {_REMEDY}.") from error
    except ValueError as error:
        raise _damaged(f"{CURRENT} is not the name of a version") from error
    if not is_version_name(name):
        raise IndexNotReadyError(f"The index is damaged or was written by another version of errdex; {_REMEDY}.")
    return name


def current_version(root: Path) -> str | None:
    """Name of the current version; None when there is none."""
    try:
        return named_version(root)
    except IndexNotReadyError:
        return None


def _manifest_of(root: Path, name: str) -> Manifest:
    """The manifest of a version, which is what its folder's name says.

    Raises:
        IndexNotReadyError: it is not.
        OSError: it cannot be read.
    """
    folder = root / name
    if not stat.S_ISDIR(os.lstat(folder).st_mode):
        raise _damaged("the version is not a folder")
    data = _read(folder / MANIFEST_FILE, _MAX_MANIFEST)
    if version_name(data) != name:
        raise _damaged(f"{MANIFEST_FILE} is not the one that {CURRENT} names")
    try:
        manifest = Manifest.model_validate_json(data)
    except ValueError as error:
        raise _damaged(f"{MANIFEST_FILE} cannot be read") from error
    if manifest.format != FORMAT:
        raise IndexNotReadyError(f"The index was written by another version of errdex; {_REMEDY}.")
    return manifest


def read_manifest(root: Path) -> Manifest | None:
    """Manifest of the current version; None when there is none that can be read."""
    try:
        return _manifest_of(root, named_version(root))
    except (OSError, IndexNotReadyError):
        return None


def read_version(root: Path, name: str, expected: Collection[str]) -> Version:
    """Read a version's files into memory, and check each against the manifest before anything parses it.

    Args:
        root: folder of all versions.
        name: the version, as `named_version` gave it.
        expected: the files that an index has, no more and no fewer.

    Raises:
        IndexNotReadyError: anything is not as it was written.
    """
    try:
        manifest = _manifest_of(root, name)
        if set(manifest.files) != set(expected):
            raise _damaged(f"{MANIFEST_FILE} does not name the files that an index has")
        if sum(record.size for record in manifest.files.values()) > MAX_BYTES:
            raise _damaged("it is larger than an index can be")
        found = {path.name for path in (root / name).iterdir()}
        if missing := set(manifest.files) - found:
            raise _damaged(f"{min(missing)} is missing")
        if found - set(manifest.files) - {MANIFEST_FILE}:
            raise _damaged("there is a file that does not belong to it")
        files = {file: _checked(root / name / file, record) for file, record in manifest.files.items()}
    except OSError as error:
        raise IndexNotReadyError(f"The index cannot be read ({error.strerror}); {_REMEDY}.") from error
    return Version(name, manifest, files)


def _checked(path: Path, record: FileRecord) -> bytes:
    data = _read(path, record.size)
    if FileRecord.of(data) != record:
        raise _damaged(f"{path.name} does not have its recorded size and hash")
    return data
