"""Asks an application in its own process, as a server would, and hears what it logs."""

import asyncio
import contextlib
import io
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from fastapi import FastAPI
from starlette.types import Message

from bench.fuzz.cases import Case

_CHUNK = 64 << 10
_HUNG_SECONDS = 60


@dataclass(frozen=True)
class Reply:
    """What came back.

    Attributes:
        seconds: processor time of all threads of this process from the first byte in to the last byte out.
        logged: what was logged or printed meanwhile.
        escaped: type of the exception that left the application, if one did.
    """

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes
    seconds: float
    logged: str
    escaped: str | None = None

    def header(self, name: bytes) -> bytes | None:
        """The first header of a name."""
        return next((value for key, value in self.headers if key.lower() == name), None)


class Client:
    """A running application; one request at a time. Standard output, errors and logging are caught while it runs."""

    def __init__(self, app: FastAPI) -> None:
        self.app = app
        self._loop = asyncio.new_event_loop()
        self._heard = io.StringIO()
        self._open = contextlib.ExitStack()

    def __enter__(self) -> Self:
        self._open.callback(self._loop.close)
        self._open.enter_context(_hearing(self._heard))
        lifespan = self.app.router.lifespan_context(self.app)
        with contextlib.redirect_stdout(self._heard), contextlib.redirect_stderr(self._heard):
            self._loop.run_until_complete(lifespan.__aenter__())
        self._open.callback(lambda: self._loop.run_until_complete(lifespan.__aexit__(None, None, None)))
        self.heard()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._open.close()

    def heard(self) -> str:
        """What was logged since this was asked last."""
        text = self._heard.getvalue()
        self._heard.seek(0)
        self._heard.truncate()
        return text

    def ask(self, case: Case) -> Reply:
        """Serve one request."""
        with contextlib.redirect_stdout(self._heard), contextlib.redirect_stderr(self._heard):
            return self._loop.run_until_complete(self._ask(case))

    async def _ask(self, case: Case) -> Reply:
        status, headers, escaped = 0, [], None
        body = bytearray()
        parts = [case.body[i : i + _CHUNK] for i in range(0, len(case.body), _CHUNK)] or [b""]
        parts.reverse()
        over = asyncio.Event()

        async def receive() -> Message:
            if parts:
                return {"type": "http.request", "body": parts.pop(), "more_body": bool(parts)}
            await over.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            nonlocal status, headers
            if message["type"] == "http.response.start":
                status, headers = message["status"], list(message.get("headers", ()))
            elif message["type"] == "http.response.body":
                body.extend(message.get("body", b""))

        start = time.process_time()
        try:
            async with asyncio.timeout(_HUNG_SECONDS):
                await self.app(case.scope(), receive, send)
        except Exception as error:  # noqa: BLE001  whatever leaves the application is what is looked for
            escaped = type(error).__name__
        seconds = time.process_time() - start
        over.set()
        return Reply(status, tuple(headers), bytes(body), seconds, self.heard(), escaped)


@contextlib.contextmanager
def _hearing(heard: io.StringIO) -> Iterator[None]:
    """Everything that is logged, as text."""
    handler = logging.StreamHandler(heard)
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    quiet = [logging.getLogger(name) for name in ("asyncio", "httpx", "httpcore")]
    levels = [logger.level for logger in quiet]
    for logger in quiet:
        logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
        for logger, old in zip(quiet, levels, strict=True):
            logger.setLevel(old)
