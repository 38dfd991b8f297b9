"""Clients that send or read as slowly as they can: cut off in time, and nobody else waits for them."""

import http.client
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import quantiles

from bench.faults.sockets import LOG, request
from bench.faults.target import Target


def _connect(port: int, window: int = 0) -> socket.socket:
    connection = socket.socket()
    if window:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
    connection.connect(("127.0.0.1", port))
    return connection


def _heads(port: int) -> socket.socket:
    connection = _connect(port)
    connection.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n")
    return connection


def _bodies(port: int) -> socket.socket:
    connection = _connect(port)
    connection.sendall(b"POST /lookup HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 100000\r\n\r\n")
    return connection


def _readers(port: int) -> socket.socket:
    connection = _connect(port, window=2048)
    connection.sendall(request(b"/" + LARGE.encode(), b"Accept: */*"))
    return connection


_CLOSED = 0.5  # seconds in which the server notices that the normal client has closed
LARGE = "large.txt"  # a file of the site, far larger than what the system buffers for a client that does not read

# What each sends or reads every second; readers read a few bytes.
KINDS: dict[str, tuple[Callable[[int], socket.socket], bytes]] = {
    "heads": (_heads, b"A: b\r\n"),
    "bodies": (_bodies, b"x"),
    "readers": (_readers, b""),
}


def sockets_of(pid: int) -> int:
    """How many sockets a process has open."""
    return sum(link.is_symlink() and str(link.readlink()).startswith("socket:") for link in Path(f"/proc/{pid}/fd").iterdir())


def trickle(connection: socket.socket, piece: bytes) -> None:
    """One second's worth of a slow client; one that was cut off goes on in vain."""
    connection.setblocking(False)
    try:
        if piece:
            connection.send(piece)
        else:
            connection.recv(16)
    except OSError:
        pass


def _ask(port: int, count: int, pause: float, meanwhile: Callable[[], None] | None = None) -> list[float]:
    """Milliseconds of one normal client, which asks a few times a second."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    took = []
    for _ in range(count):
        if meanwhile is not None:
            meanwhile()
        start = time.perf_counter()
        connection.request("POST", "/lookup", LOG, {"Content-Type": "text/plain"})
        connection.getresponse().read()
        took.append((time.perf_counter() - start) * 1000)
        time.sleep(pause)
    connection.close()
    return took


def _p99(took: list[float]) -> float:
    return quantiles(took, n=100)[-1]


def table(target: Target, count: int, seconds: int) -> Iterator[tuple[str, str]]:
    """Let many slow clients of each kind go on for some time.

    Args:
        target: the server.
        count: how many slow clients.
        seconds: for how long.

    Yields:
        The kind, and what was measured.
    """
    for kind, (connect, piece) in KINDS.items():
        quiet = _p99(_ask(target.port, 200, 0.01))
        time.sleep(_CLOSED)
        before = sockets_of(target.process.pid)
        memory = target.memory()
        slow = [connect(target.port) for _ in range(count)]
        began = turn = time.monotonic()

        def each_second(clients: list[socket.socket] = slow, piece: bytes = piece) -> None:
            nonlocal turn
            if time.monotonic() >= turn:
                turn += 1
                for client in clients:
                    trickle(client, piece)

        took: list[float] = []
        while time.monotonic() < began + seconds:
            took += _ask(target.port, 20, 0.02, each_second)
        time.sleep(_CLOSED)
        alive = sockets_of(target.process.pid) - before
        grown = target.memory() - memory
        for client in slow:
            client.close()
        yield (
            f"{count} slow {kind}",
            f"{alive} alive after {seconds} s, +{grown:.1f} MiB; a normal client's p99 {_p99(took):.1f} ms, alone {quiet:.1f} ms",
        )
