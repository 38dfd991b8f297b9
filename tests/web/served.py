"""A real server on a real socket, in a thread of the tests."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import FastAPI

from errdex.settings import Settings
from errdex.web.app import create_app
from errdex.web.server import Server, listen


class Served:
    """A server that runs; `stop` is what SIGTERM does."""

    def __init__(self, app: FastAPI, settings: Settings) -> None:
        self.listener = listen("127.0.0.1", 0)
        self.port: int = self.listener.getsockname()[1]
        self.server = Server(app, settings)
        self.thread = threading.Thread(target=asyncio.run, args=(self.server.serve([self.listener]),))
        self.thread.start()

    def stop(self) -> None:
        self.server.should_exit = True


@contextmanager
def served(settings: Settings, app: FastAPI | None = None) -> Iterator[Served]:
    running = Served(app or create_app(settings), settings)
    try:
        yield running
    finally:
        running.stop()
        running.thread.join(30)
        assert not running.thread.is_alive()
