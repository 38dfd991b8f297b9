"""The lookup that a running server uses, and its replacement when a new index is there."""

import contextlib
import ctypes
import gc
import logging
import os
import time
from pathlib import Path
from threading import Lock

from errdex.encoder import Encoder, load_encoder
from errdex.errors import ErrdexError, IndexNotReadyError
from errdex.index import FILES, load_index
from errdex.links import Links
from errdex.lookup import Lookup
from errdex.manifest import MANIFEST_FILE
from errdex.settings import Settings
from errdex.versions import CURRENT, current_version, read_version

log = logging.getLogger("errdex")
_FIRST_TEXT = "RuntimeError: what the first text builds, such as automata, is there before anybody waits for it"

Seen = tuple[str | None, tuple[int, ...]]  # what is current, and when it was written


class Live:
    """Holds the current lookup; a new index replaces it whole, a bad one leaves it in place.

    Attributes:
        loads: how often an index was taken up.
        refusals: how often one was not.
        loaded_at: when the current one was taken up, in seconds since 1970.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._encoder: Encoder | None = None
        self._lookup: Lookup | None = None
        self._version: str | None = None
        self.loads = 0
        self.refusals = 0
        self.loaded_at = 0.0
        self._refused: str | None = None
        self._seen: Seen | None = None
        self._asked = False
        self._lock = Lock()

    @property
    def lookup(self) -> Lookup:
        """The current lookup; a request takes it once, so that its answer is of one index.

        Raises:
            IndexNotReadyError: no index has been loaded yet.
        """
        if self._lookup is None:
            raise IndexNotReadyError(self._refused or "The server has no index yet; run `errdex index`.")
        return self._lookup

    @property
    def refused(self) -> str | None:
        """Why the index that is current now does not serve; None when it does."""
        return self._refused

    @property
    def root(self) -> Path:
        """Folder of the index versions."""
        return self._settings.index

    def reload(self) -> bool:
        """Load the current version if it is another one; keep the last good index if it cannot be used.

        Whether a version is used or refused, it is not read again until something newer is there, or `recheck` asks.

        Returns:
            Whether another index serves now.
        """
        with self._lock:
            asked, self._asked = self._asked, False
            seen = _seen(self.root)
            if seen == self._seen and not asked:
                return False
            self._seen = seen
            try:
                replaced = self._take(seen[0])
            except ErrdexError as error:
                if error.detail != self._refused or asked:
                    log.error("the new index is not used: %s", error.detail)
                self.refusals += 1
                self._refused = error.detail
                return False
            self._refused = None
        if replaced:
            log.info("serving index %s", self._version)
        return replaced

    def recheck(self) -> bool:
        """Read the current version again even if it is the one that serves, or was refused before.

        Returns:
            Whether another index serves now.
        """
        self._asked = True  # of several that wait for the lock, the first one does it for all
        return self.reload()

    def _take(self, name: str | None) -> bool:
        """Use the current version, unless it serves already.

        Raises:
            IndexNotReadyError: there is none, it is damaged, or another model made it.
            EncoderError: the model cannot be used.
        """
        if name is not None and name == self._version:
            read_version(self.root, name, FILES)  # a name stands for its content: it is enough that the files are whole
            return False
        if self._encoder is None and self._settings.asks_model:
            self._encoder = load_encoder(self._settings.encoder)
        index = load_index(self.root)
        if self._encoder is not None and index.manifest.encoder != self._encoder.name:
            raise IndexNotReadyError(
                f"The index was made with {index.manifest.encoder}, this server uses {self._encoder.name}; "
                "run `errdex index` with the same ERRDEX_MODEL.",
            )
        links = Links(self._settings.base_url, self._settings.contribute_url)
        lookup = Lookup(index, self._encoder, links)
        lookup.read(_FIRST_TEXT)
        self._lookup, self._version = lookup, name
        if self.loads == 0:
            _settle()
        trim()
        self.loads, self.loaded_at = self.loads + 1, time.time()
        return True


def _settle() -> None:
    """What was loaded before anybody is served stays: the collector need not look at it again.

    Later, this would also keep for ever what requests have left for the collector.
    """
    gc.collect()
    gc.freeze()


def trim() -> None:
    """Give the system back what is free: the model takes and frees so much that the C library would keep some 60 MB of holes."""
    with contextlib.suppress(OSError, AttributeError):  # another system, or another C library
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def _seen(root: Path) -> Seen:
    """What can be seen of the current version without reading it."""
    name = current_version(root)
    paths = (root / CURRENT, root / (name or ""), root / (name or "") / MANIFEST_FILE)
    return name, tuple(_written(path) for path in paths)


def _written(path: Path) -> int:
    try:
        return os.lstat(path).st_mtime_ns
    except OSError:
        return 0
