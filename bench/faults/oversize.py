"""Bodies that are too large, in every way a client can send them: refused soon, and never kept."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat

from bench.faults.sockets import Reply, exchange
from bench.faults.target import MIB, Target

_HEAD = b"POST /lookup HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n"
_BLOCK = b"step 12 loss: 2.31 lr 1e-4 ok\n" * 2048


def _announced(size: int, blocks: int) -> Iterator[bytes]:
    yield _HEAD + b"Content-Length: %d\r\n\r\n" % size
    yield from repeat(_BLOCK, blocks)


def _chunked(blocks: int) -> Iterator[bytes]:
    yield _HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    yield from repeat(b"%x\r\n%b\r\n" % (len(_BLOCK), _BLOCK), blocks)


def _framing(start: bytes, piece: bytes) -> Iterator[bytes]:
    yield _HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + start
    yield from repeat(piece, 400 * MIB // len(piece))


KINDS: dict[str, Callable[[], Iterator[bytes]]] = {
    "1 MiB and a byte": lambda: _announced(MIB + 1, 18),
    "100 MB announced, nothing sent": lambda: _announced(100_000_000, 0),
    "100 MB announced and sent": lambda: _announced(100_000_000, 1628),
    "chunks without end": lambda: _chunked(10_000),
    "a chunk extension without end": lambda: _framing(b"5;", b"x" * 65536),
    "trailers without end": lambda: _framing(b"0\r\n", b"A: " + b"x" * 65000 + b"\r\n"),
}


def refuse(port: int, kind: str) -> Reply:
    """Send one body that is too large."""
    return exchange(port, KINDS[kind]())


def _many(port: int, kind: str, count: int) -> list[int]:
    with ThreadPoolExecutor(count) as pool:
        return sorted({reply.status for reply in pool.map(lambda _: refuse(port, kind), range(count))})


def table(target: Target, at_once: int) -> Iterator[tuple[str, str]]:
    """Send each kind alone, then many at once.

    Args:
        target: the server.
        at_once: how many.

    Yields:
        What was sent, and what was measured.
    """
    for kind in KINDS:
        with target.growth() as alone:
            reply = refuse(target.port, kind)
        with target.growth() as many:
            statuses = _many(target.port, kind, at_once)
        yield (
            kind,
            f"{reply.status} in {reply.seconds * 1000:.1f} ms, peak +{alone.mebibytes:.1f} MiB; "
            f"{at_once} at once {statuses}, +{many.mebibytes:.1f} MiB",
        )
