"""The lookup that a running server uses, and its replacement when a new index is there."""

import asyncio
import logging
import time
from pathlib import Path

from errdex.encoder import Encoder, load_encoder
from errdex.errors import ErrdexError, IndexNotReadyError
from errdex.index import current_version, load_index
from errdex.lookup import Links, Lookup
from errdex.settings import Settings

log = logging.getLogger("errdex")
_POLL_SECONDS = 2.0


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

    @property
    def lookup(self) -> Lookup:
        """The current lookup.

        Raises:
            IndexNotReadyError: no index has been loaded yet.
        """
        if self._lookup is None:
            raise IndexNotReadyError("The server has no index yet; run `errdex index`.")
        return self._lookup

    @property
    def root(self) -> Path:
        """Folder of the index versions."""
        return self._settings.index

    def load(self) -> None:
        """Load the current version.

        Raises:
            IndexNotReadyError: there is none, it is damaged, or another model made it.
            EncoderError: the model cannot be used.
        """
        version = current_version(self.root)
        if self._encoder is None and self._settings.asks_model:
            self._encoder = load_encoder(self._settings.encoder)
        index = load_index(self.root)
        if self._encoder is not None and index.manifest.encoder != self._encoder.name:
            raise IndexNotReadyError(
                f"The index was made with {index.manifest.encoder}, this server uses {self._encoder.name}; "
                "run `errdex index` with the same ERRDEX_MODEL.",
            )
        links = Links(self._settings.base_url, self._settings.contribute_url)
        self._lookup, self._version = Lookup(index, self._encoder, links), version
        self.loads, self.loaded_at = self.loads + 1, time.time()

    def reload(self) -> bool:
        """Load the current version if it is another one; keep the last good index if it cannot be used.

        Returns:
            Whether another index serves now.
        """
        if current_version(self.root) == self._version and self._lookup is not None:
            return False
        try:
            self.load()
        except ErrdexError as error:
            self.refusals += 1
            log.error("the new index is not used: %s", error.detail)
            return False
        log.info("serving index %s", self._version)
        return True

    async def watch(self) -> None:
        """Reload whenever the pointer to the current version changes; runs until cancelled."""
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            await asyncio.to_thread(self.reload)
