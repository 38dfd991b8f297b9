"""How a request becomes an answer in time: small texts at once, large ones and the model in threads, the model not for ever."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from errdex.entry import Lang
from errdex.language import parse_lang
from errdex.lookup import Lookup
from errdex.models import Answer, LookupRequest

# Characters that are read in less time than handing them to a thread would make others wait.
_SMALL = 8192


class Answering:
    """Threads for the two kinds of work that would hold up the event loop, and a deadline for the second."""

    def __init__(self, seconds: float) -> None:
        """Make the threads; they start when they are needed.

        Args:
            seconds: how long a request may take before signatures and words must do.
        """
        self._seconds = seconds
        cores = os.cpu_count() or 1
        # Apart, so that a model that hangs stops nobody from reading; a thread of each library for each text.
        self._readers = ThreadPoolExecutor(cores, "errdex-read")
        self._models = ThreadPoolExecutor(cores, "errdex-model")

    def close(self) -> None:
        """Let the threads end; what waits in line is dropped."""
        self._readers.shutdown(wait=False, cancel_futures=True)
        self._models.shutdown(wait=False, cancel_futures=True)

    def deadline(self) -> float:
        """When a request that comes now must be answered, by the clock of the event loop."""
        return asyncio.get_running_loop().time() + self._seconds

    async def answer(self, lookup: Lookup, wanted: LookupRequest, fallback: Lang, request_id: str, deadline: float) -> Answer:
        """Answer one text.

        Args:
            lookup: the index that answers.
            wanted: the text and what was asked of it.
            fallback: language when neither the request nor the text says one.
            request_id: identity of the request.
            deadline: what `deadline()` gave when the request came.

        Raises:
            InputError: the text or what was asked of it cannot be used.
        """
        await asyncio.sleep(0)  # of a hundred small texts in one request, others are served in between
        loop = asyncio.get_running_loop()
        lang = parse_lang(wanted.lang) if wanted.lang else None
        small = len(wanted.traceback) <= _SMALL
        read = partial(lookup.read, wanted.traceback, wanted.environment)
        reading = read() if small else await loop.run_in_executor(self._readers, read)
        finish = partial(lookup.answer_reading, reading, lang, wanted.limit, fallback, request_id)
        if reading.is_decided:
            return finish()
        if lookup.asks_model and loop.time() < deadline:
            try:
                async with asyncio.timeout_at(deadline):
                    return await loop.run_in_executor(self._models, finish)
            except TimeoutError:
                pass
        return await loop.run_in_executor(self._readers, partial(finish, ask_model=False))
