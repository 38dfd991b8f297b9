"""JSON that is cheap to send and dear to read."""

from collections.abc import Iterator

from bench.faults.sockets import Reply, exchange, request
from bench.faults.target import MIB, Target

_FILL = MIB - 512


def _keys(template: bytes, start: bytes, end: bytes) -> bytes:
    pairs: list[bytes] = []
    size = 0
    while size < _FILL:
        pairs.append(template % len(pairs))
        size += len(pairs[-1]) + 1
    return start + b",".join(pairs) + end


def _nested(count: int) -> bytes:
    return b'{"items":[' + b",".join([b'{"traceback":"x",%b}' % _inner()] * count) + b"]}"


def _inner() -> bytes:
    return b",".join(b'"k%d":0' % number for number in range(900))


BOMBS: dict[str, bytes] = {
    "arrays 100,000 deep": b"[" * 100_000,
    "arrays a million deep": b"[" * _FILL,
    "objects 200,000 deep": b'{"a":' * (_FILL // 5),
    "arrays deep, and closed": b"[" * 300 + b"]" * 300,
    "as many keys as fit": _keys(b'"%d":0', b"{", b"}"),
    "as many versions as fit": _keys(b'"%d":"0"', b'{"traceback":"x","environment":{', b"}}"),
    "as many empty arrays as fit": b"[" + b"[]," * (_FILL // 3) + b"[]]",
    "as many numbers as fit": b"[" + b"0," * (_FILL // 2) + b"0]",
    "as many strings as fit": b"[" + b'"",' * (_FILL // 3) + b'""]',
    "strings of quotes": b'["' + b'\\"' * (_FILL // 2) + b'"',
    "strings of backslashes": b'["' + b"\\\\" * (_FILL // 2) + b'"',
    "9,000 keys": b"{" + b",".join(b'"%d":0' % number for number in range(9_000)) + b"}",
    "items with 900 keys": _nested(100),
    "10,000 items": b'{"items":[' + b",".join([b"0"] * 9_000) + b"]}",
    "an integer of a megabyte": b'{"traceback":"x","limit":' + b"9" * _FILL + b"}",
    "a fraction of a megabyte": b'{"traceback":"x","limit":0.' + b"9" * _FILL + b"}",
    "an exponent of a megabyte": b'{"traceback":"x","limit":1e' + b"9" * _FILL + b"}",
    "1e999": b'{"traceback":"x","limit":1e999}',
    "NaN": b'{"traceback":"x","limit":NaN}',
    "-Infinity": b'{"traceback":"x","limit":-Infinity}',
    "half a character": b'{"traceback":"\\ud800"}',
    "half a character as a key": b'{"\\udfff":"x"}',
    "half characters, a megabyte": b'{"text":"' + b"\\ud800" * (_FILL // 6) + b'"}',
    "half a character, deep": b'["\\ud800",' + b"[" * 100_000,
    "broken UTF-8": b'{"traceback":"\xff\xfe\xc0"}',
    "UTF-16": '{"text":"x"}'.encode("utf-16"),
    "UTF-32": '{"text":"x"}'.encode("utf-32"),
    "a torn string": b'{"traceback":"' + b"x" * _FILL,
    "nothing but blanks": b" " * _FILL,
    "a value after the value": b'{"traceback":"x"} {"traceback":"y"}',
    "zeros before a number": b'{"traceback":"x","limit":003}',
    "a bare word": b"undefined",
}


def drop(port: int, body: bytes, path: bytes = b"/lookup") -> Reply:
    """Send one body as JSON."""
    return exchange(port, request(path, b"Content-Type: application/json", b"Connection: close", method=b"POST", body=body))


def table(target: Target) -> Iterator[tuple[str, str]]:
    """Send each to both addresses that read JSON.

    Args:
        target: the server.

    Yields:
        What was sent, and what was measured.
    """
    for name, body in BOMBS.items():
        for path in (b"/lookup", b"/lookup/batch"):
            drop(target.port, body, path)
            with target.growth() as growth:
                replies = [drop(target.port, body, path) for _ in range(5)]
            best = min(reply.seconds for reply in replies) * 1000
            yield f"{name} to {path.decode()}", f"{replies[0].status} in {best:.1f} ms, peak +{growth.mebibytes:.1f} MiB"
