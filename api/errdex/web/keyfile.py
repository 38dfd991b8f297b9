"""The API keys that a running server uses, and their replacement when the file changes."""

import logging
from pathlib import Path

from errdex.errors import KeysError
from errdex.keys import KeyRing, read_keys

log = logging.getLogger("errdex")


class KeyFile:
    """Holds the current keys; a new file replaces them whole, a broken one leaves them in place.

    Args:
        path: the file; None for a server without keys.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._seen: tuple[int, ...] | None = None
        self._ring = None if path else KeyRing(())

    @property
    def ring(self) -> KeyRing:
        """The current keys.

        Raises:
            KeysError: there has been no file that could be read since the server started.
        """
        if self._ring is None:
            raise KeysError("The server's file of API keys cannot be read; its log says why.")
        return self._ring

    def reload(self) -> bool:
        """Read the file if it is another one than before; no file is a file without keys.

        Returns:
            Whether other keys are in use now.
        """
        if self.path is None or (state := _state(self.path)) == self._seen:
            return False
        self._seen = state
        try:
            self._ring = KeyRing(read_keys(self.path))
        except KeysError as error:
            log.error("the API keys are not taken up: %s", error.detail)
            return False
        log.info("%d API keys in use", len(self._ring))
        return True


def _state(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()
    return (found.st_mtime_ns, found.st_size, found.st_ino)
