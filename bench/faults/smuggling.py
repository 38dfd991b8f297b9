"""Requests that two parsers may read differently: each is refused, or answered as its clean form is."""

import re
from dataclasses import dataclass

from bench.faults.sockets import LOG, Reply, exchange, request

_ID = re.compile(rb"[0-9a-f]{32}")
_HIDDEN = b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"


@dataclass(frozen=True)
class Case:
    """One odd request.

    Attributes:
        name: what is odd.
        data: what is sent.
        clean: what it may mean at most; None where it has to be refused.
    """

    name: str
    data: bytes
    clean: bytes | None


def _post(*headers: bytes, body: bytes) -> bytes:
    return request(b"/lookup", b"Content-Type: text/plain", b"Connection: close", *headers, method=b"POST") + body


def _chunked(body: bytes) -> bytes:
    return _post(b"Transfer-Encoding: chunked", body=body)


_SIZE = b"%x" % len(LOG)
_LENGTH = b"%d" % len(LOG)
_CHUNK = _SIZE + b"\r\n" + LOG + b"\r\n"
_WHOLE = _CHUNK + b"0\r\n\r\n"
_CLEAN = _post(b"Content-Length: " + _LENGTH, body=LOG)
_GET = request()


def _lengths() -> list[Case]:
    wrong = (
        b"+" + _LENGTH,
        b"-5",
        b"0x31",
        b"5 5",
        b"5, 5",
        b"5a",
        b"",
        b"18446744073709551616",
        b"5\x00",
        b"\x0b5",
        b"1e2",
        b"5;6",
    )
    cases = [Case(f"Content-Length {text!r}", _post(b"Content-Length: " + text, body=LOG + _HIDDEN), None) for text in wrong]
    return [
        *cases,
        Case("Content-Length of 2^64-1", _post(b"Content-Length: 18446744073709551615", body=LOG), None),
        Case("Content-Length in white space", _post(b"Content-Length:  \t" + _LENGTH + b" ", body=LOG), _CLEAN),
        Case("two lengths", _post(b"Content-Length: 0", b"Content-Length: " + _LENGTH, body=LOG), None),
        Case("the same length twice", _post(b"Content-Length: " + _LENGTH, b"Content-Length: " + _LENGTH, body=LOG), None),
        Case("white space before the colon", _post(b"Content-Length : " + _LENGTH, body=LOG), None),
        Case("tab before the colon", _post(b"Content-Length\t: " + _LENGTH, body=LOG), None),
        Case("GET with a request as its body", request(b"/livez", b"Connection: close", body=_HIDDEN), _GET),
        Case("length and chunks", _post(b"Content-Length: " + _LENGTH, b"Transfer-Encoding: chunked", body=_WHOLE), None),
        Case("chunks and length", _post(b"Transfer-Encoding: chunked", b"Content-Length: 4", body=_WHOLE), None),
        Case("chunks, length 0", _post(b"Transfer-Encoding: chunked", b"Content-Length: 0", body=_WHOLE), None),
    ]


def _encodings() -> list[Case]:
    wrong = (
        b"xchunked", b"chunked, identity", b"identity, chunked", b"gzip, chunked", b"chunked, chunked", b"\x0bchunked",
        b"chunked\x00", b"chunked;q=1", b'"chunked"', b"identity", b"chunked,", b"gzip",
    )  # fmt: skip
    cases = [
        Case(f"Transfer-Encoding {text!r}", _post(b"Transfer-Encoding: " + text, body=_WHOLE + _HIDDEN), None) for text in wrong
    ]
    twice = _post(b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity", body=_WHOLE)
    return [
        *cases,
        Case("Transfer-Encoding in capitals", _post(b"TRANSFER-ENCODING: CHUNKED", body=_WHOLE), _CLEAN),
        Case("two encodings", twice, None),
        Case("space before the colon", _post(b"Transfer-Encoding : chunked", body=_WHOLE), None),
        Case("folded header", _post(b"Transfer-Encoding:\r\n chunked", body=_WHOLE), None),
        Case("folded onto another", _post(b"X: y\r\n Transfer-Encoding: chunked", body=_WHOLE), None),
        Case("chunks in HTTP/1.0", _chunked(_WHOLE).replace(b"HTTP/1.1", b"HTTP/1.0", 1), None),
        Case("compressed", _post(b"Content-Encoding: gzip", b"Content-Length: " + _LENGTH, body=LOG), None),
    ]


def _chunks() -> list[Case]:
    wrong = {
        "a size that ends in LF": _SIZE + b"\n" + LOG + b"\r\n0\r\n\r\n",
        "data that ends in LF": _SIZE + b"\r\n" + LOG + b"\n0\r\n\r\n",
        "data longer than its size": _SIZE + b"\r\n" + LOG + b"XX\r\n0\r\n\r\n",
        "a size in 0x": b"0x" + _WHOLE,
        "a negative size": b"-" + _WHOLE,
        "a size above 2^64": b"F" * 17 + b"\r\n" + LOG,
        "no size": b"\r\n" + LOG + b"\r\n0\r\n\r\n",
        "a size with a plus": b"+" + _WHOLE,
        "a size with a space before it": b" " + _WHOLE,
        "LF in an extension": _SIZE + b";a\nb\r\n" + LOG + b"\r\n0\r\n\r\n",
        "CR in an extension": _SIZE + b";a\rb\r\n" + LOG + b"\r\n0\r\n\r\n",
        "NUL after the size": _SIZE + b"\x00\r\n" + LOG + b"\r\n0\r\n\r\n",
    }
    harmless = {
        "an extension": _SIZE + b";name=value\r\n" + LOG + b"\r\n0\r\n\r\n",
        "a size with zeros before it": b"000" + _WHOLE,
        "several zeros at the end": _CHUNK + b"000\r\n\r\n",
        "a trailer": _CHUNK + b"0\r\nX: y\r\n\r\n",
        "a Host among the trailers": _CHUNK + b"0\r\nHost: evil\r\n\r\n",
        "a request hidden behind the end": _WHOLE + _HIDDEN,
    }
    return [
        *(Case(f"chunk: {name}", _chunked(body + _HIDDEN), None) for name, body in wrong.items()),
        *(Case(f"chunk: {name}", _chunked(body), _CLEAN) for name, body in harmless.items()),
    ]


def _hosts() -> list[Case]:
    wrong = (b"a b", b"a/b", b"user@x", b"x:123456", b"x:1:2", b"[::1", b"a\tb", b"x,y", b"x\\y", b"x?y", b"x#y", b"<x>", b"x%2f")
    two = request(b"/livez", b"Host: y", b"Connection: close")
    return [
        *(Case(f"Host {text!r}", request(host=text), None) for text in wrong),
        Case("no Host", _GET.replace(b"Host: x\r\n", b""), None),
        Case("two Hosts", two, None),
        Case("absolute form", request(b"http://x/livez"), _GET),
        Case("absolute form, other host", request(b"http://evil/livez"), _GET),
        Case("absolute form without a path", request(b"http://x"), None),
        Case("a host of IPv6", request(host=b"[::1]:8000"), _GET),
    ]


def _targets() -> list[Case]:
    wrong = (
        b"//livez", b"/livez/", b"/livez/../livez", b"/%2e%2e/livez", b"/./livez", b"/livez%00", b"/livez;a=b", b"/%2flivez",
        b"/\\livez", b"\\livez", b"/livez\x80", b"livez", b"*", b"/livez%0d%0aX:y", b"/LIVEZ", b"/livez%20", b"/%%%", b"http:///livez",
        b"/livez\x01", b"/..%2f..%2fetc/passwd", b"/%c0%ae%c0%ae/livez", b"://",
    )  # fmt: skip
    return [
        *(Case(f"target {text!r}", request(text), None) for text in wrong),
        Case("target in percent signs", request(b"/%6civez"), _GET),
        Case("target with a query", request(b"/livez?/lookup"), _GET),
        Case("target with a fragment", request(b"/livez#x"), _GET),
    ]


def _lines() -> list[Case]:
    def line(text: bytes) -> bytes:
        return _GET.replace(b"GET /livez HTTP/1.1", text, 1)

    def header(text: bytes) -> bytes:
        return request(b"/livez", text, b"Connection: close")

    wrong_lines = (
        b"GET /livez", b"GET /livez HTTP/1.2", b"GET /livez HTTP/3.0", b"GET /livez HTTP/1.10", b"get /livez HTTP/1.1",
        b"FOO /livez HTTP/1.1", b"GET /livez HTTP/1.1 x", b"GET\t/livez\tHTTP/1.1", b" GET /livez HTTP/1.1",
        b"GET/livez HTTP/1.1", b"CONNECT x:443 HTTP/1.1", b"TRACE /livez HTTP/1.1", b"POST /livez HTTP/1.1",
        b"GET /livez http/1.1", b"G\x00T /livez HTTP/1.1",
    )  # fmt: skip
    wrong_headers = (
        b"A B: c",
        b"A",
        b": c",
        b"A: b\rc",
        b"A: b\x00c",
        b"A\x00: b",
        b"A: b\nHost: evil",
        b"\xff: b",
        b"(A): b",
        b"A: b\x7f",
    )
    return [
        *(Case(f"line {text!r}", line(text), None) for text in wrong_lines),
        *(Case(f"header {text!r}", header(text), None) for text in wrong_headers),
        Case("lines that end in LF", _GET.replace(b"\r\n", b"\n"), None),
        Case("lines that end in CR", _GET.replace(b"\r\n", b"\r"), None),
        Case("preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", None),
        Case("empty lines first", b"\r\n\r\n" + _GET, _GET),
        Case(
            "an offer of HTTP/2",
            request(b"/livez", b"Connection: Upgrade, close", b"Upgrade: h2c", b"HTTP2-Settings: AAMA"),
            _GET,
        ),
        Case(
            "an offer of HTTP/2 with a body",
            _CLEAN.replace(b"Connection: close", b"Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c"),
            _CLEAN,
        ),
        Case("an offer of a WebSocket", request(b"/livez", b"Connection: Upgrade, close", b"Upgrade: websocket"), _GET),
        Case("a request behind the last", _GET + _HIDDEN, _GET),
        Case("an expectation that means nothing", header(b"Expect: nothing"), _GET),
        Case("an underscore for a dash", header(b"Transfer_Encoding: chunked"), _GET),
    ]


CASES = (*_lengths(), *_encodings(), *_chunks(), *_hosts(), *_targets(), *_lines())


def _essence(reply: Reply) -> tuple[int, bytes]:
    return reply.status, _ID.sub(b"", reply.body)


def fault(port: int, case: Case) -> str | None:
    """Try one case.

    Args:
        port: of the server.
        case: what to send.

    Returns:
        What is wrong with the answer, if anything.
    """
    reply = exchange(port, case.data, seconds=3)
    if not reply.ended:
        return "the connection stays open"
    if 400 <= reply.status < 500 and reply.answers == 1:
        return None
    if case.clean is None:
        return f"not refused: {reply.status}, {reply.answers} answers"
    clean = exchange(port, case.clean, seconds=3)
    if reply.answers == 1 and _essence(reply) == _essence(clean):
        return None
    return f"{reply.status} with {reply.answers} answers, its clean form {clean.status}"
