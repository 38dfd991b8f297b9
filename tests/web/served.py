"""A real server on a real socket, in a thread of the tests."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import FastAPI

from errdex.settings import Settings
from errdex.web.app import create_app
from errdex.web.server import Server, listen


class Served:
    """A server that runs; `stop` is what SIGTERM does."""

    def __init__(self, app: FastAPI, settings: Settings, shared: socket.socket | None = None) -> None:
        self.listener = listen("127.0.0.1", 0) if shared is None else shared.dup()
        self.port: int = self.listener.getsockname()[1]
        self.server = Server(app, settings, shared=shared is not None)
        self.thread = threading.Thread(target=asyncio.run, args=(self.server.serve([self.listener]),))
        self.thread.start()
        while not self.server.started:
            assert self.thread.is_alive()
            time.sleep(0.01)

    def stop(self) -> None:
        self.server.should_exit = True


@contextmanager
def served(settings: Settings, app: FastAPI | None = None, shared: socket.socket | None = None) -> Iterator[Served]:
    running = Served(app or create_app(settings), settings, shared)
    try:
        yield running
    finally:
        running.stop()
        running.thread.join(30)
        assert not running.thread.is_alive()
