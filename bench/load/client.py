"""Clients that keep their connections open and send prepared bytes: as little work as can be, so that the server is measured."""

import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from bench.load.mix import Ask, Kind

_TIMEOUT_SECONDS = 60


@dataclass(frozen=True)
class Timed:
    """One answered request: when it was done, how long it took, in seconds."""

    done: float
    took: float
    kind: Kind


@dataclass
class Taken:
    """What the clients saw.

    Attributes:
        failed: what was wrong, one line each.
        reopened: connections that the server closed after an answer or while they were idle, as it may.
    """

    timed: list[Timed] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    reopened: int = 0


class Connection:
    """One keep-alive connection."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._socket: socket.socket | None = None
        self.reopened = 0

    def close(self) -> None:
        """Hang up."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def ask(self, wire: bytes) -> int:
        """Send a request and read its whole answer.

        Returns:
            The status.

        Raises:
            OSError: there was no whole answer.
        """
        fresh = self._socket is None
        try:
            return self._once(wire)
        except ConnectionError:
            self.close()
            if fresh:
                raise
        # An idle connection may be closed by the server at any time; then the request goes over a new one.
        self.reopened += 1
        return self._once(wire)

    def _once(self, wire: bytes) -> int:
        if self._socket is None:
            self._socket = socket.create_connection(("127.0.0.1", self._port), timeout=_TIMEOUT_SECONDS)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with suppress(BrokenPipeError, ConnectionResetError):  # refused before it was read: the answer may stand there already
            self._socket.sendall(wire)
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._more()
        head, _, body = received.partition(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        length = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), 0)
        missing = length - len(body)
        while missing > 0:
            missing -= len(self._more())
        if b"connection: close" in lines:
            self.close()
        return int(head[9:12])

    def _more(self) -> bytes:
        part = self._socket.recv(1 << 18) if self._socket else b""
        if not part:
            raise ConnectionResetError("closed before the answer was whole")
        return part


def load(port: int, shares: Sequence[Sequence[Ask]], answered: Callable[[], None] | None = None) -> Taken:
    """Ask from as many clients at once as there are shares.

    Args:
        port: where the server listens.
        shares: what each client asks, in order.
        answered: called after each answer, by the client's thread.
    """
    taken, lock = Taken(), threading.Lock()

    def client(share: Sequence[Ask]) -> None:
        connection = Connection(port)
        timed: list[Timed] = []
        failed: list[str] = []
        for ask in share:
            start = time.perf_counter()
            try:
                status = connection.ask(ask.wire)
            except OSError as error:
                failed.append(f"{ask.kind} {ask.wire[:40]!r}: {type(error).__name__}")
                connection.close()
                continue
            now = time.perf_counter()
            timed.append(Timed(now, now - start, ask.kind))
            if status not in ask.right:
                failed.append(f"{ask.kind} {ask.wire[:40]!r}: status {status}")
            if answered:
                answered()
        connection.close()
        with lock:
            taken.timed += timed
            taken.failed += failed
            taken.reopened += connection.reopened

    threads = [threading.Thread(target=client, args=(share,)) for share in shares]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    taken.timed.sort(key=lambda one: one.done)
    return taken
