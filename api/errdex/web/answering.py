"""How a request becomes an answer in time: small texts at once, large ones and the model in threads, the model not for ever."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from errdex.entry import Lang
from errdex.language import parse_lang
from errdex.lookup import Lookup
from errdex.models import Answer, LookupRequest
from errdex.ranking import Ranked
from errdex.recorder import Recorder
from errdex.timings import Timings

# Characters that are read in less time than handing them to a thread would make others wait.
_SMALL = 8192
_MOST_THREADS = 8  # of each kind: a container may be allowed a part of the cores that its host has

T = TypeVar("T")


class Answering:
    """Threads for the two kinds of work that would hold up the event loop, and a deadline for the second."""

    def __init__(self, seconds: float, recorder: Recorder) -> None:
        """Make the threads; they start when they are needed.

        Args:
            seconds: how long a request may take before signatures and words must do.
            recorder: is told of every answer.
        """
        self._seconds, self._recorder = seconds, recorder
        threads = min(os.cpu_count() or 1, _MOST_THREADS)
        # Apart, so that a model that hangs stops nobody from reading; a thread of each library for each text.
        self._readers = ThreadPoolExecutor(threads, "errdex-read")
        self._models = ThreadPoolExecutor(threads, "errdex-model")

    def close(self) -> None:
        """Let the threads end; what waits in line is dropped."""
        self._readers.shutdown(wait=False, cancel_futures=True)
        self._models.shutdown(wait=False, cancel_futures=True)

    def deadline(self) -> float:
        """When a request that comes now must be answered, by the clock of the event loop."""
        return asyncio.get_running_loop().time() + self._seconds

    async def answer(
        self, lookup: Lookup, wanted: LookupRequest, fallback: Lang, request_id: str, deadline: float
    ) -> tuple[Answer, Timings]:
        """Answer one text, and record what was answered.

        Args:
            lookup: the index that answers.
            wanted: the text and what was asked of it.
            fallback: language when neither the request nor the text says one.
            request_id: identity of the request.
            deadline: what `deadline()` gave when the request came.

        Returns:
            The answer, and where the time went.

        Raises:
            InputError: the text or what was asked of it cannot be used.
        """
        answer, timings = await self._answer(lookup, wanted, fallback, request_id, deadline)
        self._recorder.record(answer, wanted.traceback)
        return answer, timings

    async def search(self, lookup: Lookup, words: str, deadline: float) -> list[Ranked]:
        """Entries for some words, best first; when the time is over, as words alone find them.

        Args:
            lookup: the index that answers.
            words: in any of the three languages.
            deadline: what `deadline()` gave when the request came.

        Raises:
            InputError: the words cannot be used.
        """
        return await self._in_time(
            lookup, deadline, partial(lookup.search, words), partial(lookup.search, words, ask_model=False)
        )

    async def _answer(
        self, lookup: Lookup, wanted: LookupRequest, fallback: Lang, request_id: str, deadline: float
    ) -> tuple[Answer, Timings]:
        await asyncio.sleep(0)  # of a hundred small texts in one request, others are served in between
        loop = asyncio.get_running_loop()
        lang = parse_lang(wanted.lang) if wanted.lang else None
        small = len(wanted.traceback) <= _SMALL
        timings = Timings()
        read = partial(lookup.read, wanted.traceback, wanted.environment, timings)
        reading = read() if small else await loop.run_in_executor(self._readers, read)
        finish = partial(lookup.answer_reading, reading, lang, wanted.limit, fallback, request_id)
        if reading.is_decided:
            return finish(timings), timings
        asked = timings.copy()
        return await self._in_time(
            lookup, deadline, lambda: (finish(asked), asked), lambda: (finish(timings, ask_model=False), timings)
        )

    async def _in_time(self, lookup: Lookup, deadline: float, whole: Callable[[], T], cheap: Callable[[], T]) -> T:
        """What asks the model; what does without it where there is none, or once the time is over."""
        loop = asyncio.get_running_loop()
        if lookup.asks_model and loop.time() < deadline:
            try:
                async with asyncio.timeout_at(deadline):
                    return await loop.run_in_executor(self._models, whole)
            except TimeoutError:
                pass  # the thread ends when the model does; what it says is of no use any more
        return await loop.run_in_executor(self._readers, cheap)
