"""A lean HTTP client over plain sockets, so that the server and not the client is what is measured."""

import selectors
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

_CHUNK = 1 << 18
_PATIENCE = 60.0  # seconds
_HEAD_END = b"\r\n\r\n"
_LENGTH = b"content-length:"

# Whether an answer's body is what was asked for.
Check = Callable[[bytes], bool]


class BadAnswerError(Exception):
    """The server answered with another status than 200, not at all, or not in a form that this client reads."""


def post(path: str, body: bytes) -> bytes:
    """A whole POST request with a JSON body."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


@dataclass
class Load:
    """What one block of requests measured.

    Attributes:
        took: milliseconds of each answer, in the order in which they came.
        seconds: from the first request to the last answer.
        odd: answers that were not what was asked for.
    """

    took: list[float] = field(default_factory=list)
    seconds: float = 0.0
    odd: int = 0

    @cached_property
    def times(self) -> NDArray[np.float64]:
        """The same milliseconds as an array; read it when the block is over."""
        return np.asarray(self.took)

    @property
    def rate(self) -> float:
        """Answers per second."""
        return len(self.took) / self.seconds


class _Connection:
    """One keep-alive connection with at most one request under way."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.socket = self._connected()
        self._to_send = memoryview(b"")
        self._received = bytearray()
        self._whole = 0
        self.body_at = 0
        self.started = 0.0
        self.busy = False

    def _connected(self) -> socket.socket:
        connected = socket.create_connection(("127.0.0.1", self._port), timeout=10)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connected.setblocking(False)
        return connected

    def reconnect(self) -> None:
        """Take a new connection for one that the server closed while it idled."""
        self.socket.close()
        self.socket = self._connected()

    def start(self, request: bytes, started: float) -> bool:
        """Send a request; whether all of it is gone."""
        self._to_send = memoryview(request)
        self._received = bytearray()
        self._whole = 0
        self.started = started
        self.busy = True
        return self.send_more()

    def send_more(self) -> bool:
        """Send what is left; whether all of it is gone."""
        try:
            while self._to_send:
                self._to_send = self._to_send[self.socket.send(self._to_send) :]
        except BlockingIOError:
            return False
        return True

    def receive(self) -> bytes | None:
        """Read what came; the body once it is whole."""
        piece = self.socket.recv(_CHUNK)
        if not piece:
            raise BadAnswerError("the server closed the connection")
        self._received += piece
        if not self._whole:
            end = self._received.find(_HEAD_END)
            if end < 0:
                return None
            head = bytes(self._received[:end]).lower()
            at = head.find(_LENGTH)
            if not head.startswith(b"http/1.1 200 ") or at < 0:
                raise BadAnswerError(bytes(self._received[:400]).decode(errors="replace"))
            self.body_at = end + 4
            self._whole = self.body_at + int(head[at + len(_LENGTH) :].split(b"\r\n", 1)[0])
        if len(self._received) < self._whole:
            return None
        self.busy = False
        return bytes(self._received[self.body_at :])


class Client:
    """Some connections to one server that stay open from request to request; a server closes those that idle for seconds."""

    def __init__(self, port: int, connections: int) -> None:
        self._connections = [_Connection(port) for _ in range(connections)]
        self._selector = selectors.DefaultSelector()
        for connection in self._connections:
            self._selector.register(connection.socket, selectors.EVENT_READ, connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._selector.close()
        for connection in self._connections:
            connection.socket.close()

    def closed_loop(self, requests: Iterable[bytes], check: Check | None = None) -> Load:
        """Each connection asks again as soon as it has its answer.

        Args:
            requests: whole requests, made beforehand.
            check: what a right answer's body is; others are counted.

        Raises:
            BadAnswerError: an answer is not 200.
        """
        load, waiting = Load(), iter(requests)
        begin = time.perf_counter()
        busy = 0
        for connection in self._connections:
            busy += self._next(connection, waiting, time.perf_counter())
        while busy:
            for connection in self._answered(load, check, None):
                busy -= 1
                busy += self._next(connection, waiting, time.perf_counter())
        load.seconds = time.perf_counter() - begin
        return load

    def open_loop(self, requests: Iterable[bytes], rate: float, check: Check | None = None) -> Load:
        """Requests are due at an even rate, whether or not earlier ones are answered; waiting for a connection counts.

        Args:
            requests: whole requests, made beforehand.
            rate: requests per second.
            check: what a right answer's body is; others are counted.

        Raises:
            BadAnswerError: an answer is not 200.
        """
        load, free, busy = Load(), deque(self._connections), 0
        begin = time.perf_counter()
        due = ((begin + number / rate, request) for number, request in enumerate(requests))
        coming = next(due, None)
        while busy or coming:
            while coming and free and coming[0] <= time.perf_counter():
                busy += self._next(free.popleft(), iter([coming[1]]), coming[0])
                coming = next(due, None)
            # Selectors round up to a whole millisecond, which a fast answer must not be charged with: the last one is spun.
            pause = max(0.0, coming[0] - time.perf_counter() - 0.002) if coming and free else None
            for connection in self._answered(load, check, pause):
                busy -= 1
                free.append(connection)
        load.seconds = time.perf_counter() - begin
        return load

    def _next(self, connection: _Connection, waiting: Iterator[bytes], started: float) -> bool:
        request = next(waiting, None)
        if request is None:
            return False
        if not connection.start(request, started):
            self._selector.modify(connection.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, connection)
        return True

    def _answered(self, load: Load, check: Check | None, pause: float | None) -> Iterator[_Connection]:
        """Wait, and give each connection whose answer is whole."""
        ready = self._selector.select(_PATIENCE if pause is None else pause)
        if not ready and pause is None:
            raise BadAnswerError(f"no answer in {_PATIENCE} s")
        for key, events in ready:
            connection: _Connection = key.data
            if not connection.busy:
                self._selector.unregister(connection.socket)
                connection.reconnect()
                self._selector.register(connection.socket, selectors.EVENT_READ, connection)
                continue
            if events & selectors.EVENT_WRITE and connection.send_more():
                self._selector.modify(connection.socket, selectors.EVENT_READ, connection)
            if events & selectors.EVENT_READ:
                body = connection.receive()
                if body is not None:
                    load.took.append((time.perf_counter() - connection.started) * 1000)
                    load.odd += check is not None and not check(body)
                    yield connection
