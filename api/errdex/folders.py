"""Folders that hold what must not be lost: one writer at a time, and renames that outlive a loss of power."""

import contextlib
import errno
import os
import time
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: two writers at once may undo each other's work there
    fcntl = None  # type: ignore[assignment]

_LOCK_SECONDS = 60.0


@contextlib.contextmanager
def alone(lock: Path) -> Iterator[None]:
    """One writer at a time. The lock goes with its process, however that ends.

    Args:
        lock: an empty file that stays; its folder must be there.

    Raises:
        OSError: the file cannot be made, or another writer did not end within a minute.
    """
    if fcntl is None:
        yield
        return
    with lock.open("ab") as held:
        deadline = time.monotonic() + _LOCK_SECONDS
        while True:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    reason = "Another process has been writing there for a minute; end it first"
                    raise TimeoutError(errno.ETIMEDOUT, reason) from None
                time.sleep(0.05)
        yield


def sync(folder: Path) -> None:
    """Flush a folder: which names there are, and what each stands for."""
    if os.name == "nt":  # a folder cannot be opened there
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
