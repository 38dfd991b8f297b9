"""Requests byte by byte, as no HTTP client would send them."""

import socket
import time
from collections.abc import Iterable
from dataclasses import dataclass

_END = b"\r\n\r\n"
LOG = b"ValueError: Attempting to unscale FP16 gradients."


@dataclass(frozen=True)
class Reply:
    """What came back on one connection.

    Attributes:
        status: of the first answer; 0 when there was none.
        head: its head.
        body: everything after the head.
        seconds: from the first byte sent to the end of the first head.
        ended: whether the server closed the connection.
    """

    status: int
    head: bytes
    body: bytes
    seconds: float
    ended: bool

    @property
    def answers(self) -> int:
        """How many answers came on the connection."""
        return (self.head + _END + self.body).count(b"HTTP/1.1 ") if self.status else 0


def request(target: bytes = b"/livez", *headers: bytes, method: bytes = b"GET", body: bytes = b"", host: bytes = b"x") -> bytes:
    """A well-formed request, `Connection: close` among its headers unless others are given."""
    lines = [method + b" " + target + b" HTTP/1.1", b"Host: " + host, *(headers or (b"Connection: close",))]
    if body:
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join(lines) + _END + body


def exchange(port: int, pieces: bytes | Iterable[bytes], *, seconds: float = 5) -> Reply:
    """Send some bytes and read until the server closes or nothing more comes.

    Args:
        port: where the server listens.
        pieces: what is sent; sending ends when the server has answered or closed.
        seconds: how long to wait for more.
    """
    got = b""
    first = 0.0
    ended = False
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        began = time.perf_counter()
        try:
            for piece in [pieces] if isinstance(pieces, bytes) else pieces:
                connection.sendall(piece)
                connection.setblocking(False)
                try:
                    got += connection.recv(65536)
                except BlockingIOError:
                    continue
                finally:
                    connection.settimeout(seconds)
                break
        except OSError:
            pass  # it may have been refused before all was sent
        try:
            while True:
                if not first and _END in got:
                    first = time.perf_counter() - began
                more = connection.recv(65536)
                if not more:
                    ended = True
                    break
                got += more
        except ConnectionResetError:
            ended = True
        except TimeoutError:
            pass
    head, _, body = got.partition(_END)
    status = int(head.split(b" ")[1]) if head.startswith(b"HTTP/1.1 ") else 0
    return Reply(status, head, body, first, ended)
