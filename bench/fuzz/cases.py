"""One request out of one seed: any route of the application, any method, header, query and body."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI
from starlette.routing import Route

from bench.fuzz.mutators import long_text, mutated
from bench.fuzz.texts import real_texts
from bench.fuzz.values import fitting, wild, written

CANARY = "q7canaryx3"  # stands in every input, and must stand in no error and in no line of a log
_LIKELY = {
    "/lookup": 40.0,
    "/lookup/batch": 5.0,
    "/search": 6.0,
    "/entries": 0.4,
    "/docs": 0.1,
    "/redoc": 0.1,
    "/openapi.json": 0.02,
}
_METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "CONNECT", "get", "X")
_TYPES = (
    "application/json", "text/plain", "text/plain; charset=utf-8", "text/plain; charset=utf-16", "application/octet-stream",
    "text/markdown", "", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/problem+json",
    "text/html", "image/png", ";", "json", "application/json; charset=\xff", "a" * 2000, CANARY, "text/" + CANARY,
)  # fmt: skip
_ACCEPTS = (
    "*/*",
    "application/json",
    "text/plain",
    "text/markdown",
    "text/plain;q=0.1, text/markdown",
    "",
    ",;=q",
    "a" * 2000,
    CANARY,
    "\xff",
)
_LANGUAGES = (
    "",
    "en",
    "zh-TW,zh;q=0.9",
    "zh-cn",
    "*",
    "en;q=nan",
    "en;q=inf",
    "en;q=-1",
    ";q=",
    "a," * 1000,
    CANARY,
    "zh;q=1e999",
    "\xe9",
)
_IDS = (
    "AMP003",
    "amp003",
    "MEM001",
    "unscale-fp16-gradients",
    "XYZ999",
    "..",
    "%2e%2e%2f",
    "\x00",
    "a" * 3000,
    "İ",
    "\ufffd",
    CANARY,
    "AMP003\n",
)


@dataclass(frozen=True)
class Case:
    """One request.

    Attributes:
        path: as the server would hand it on, unquoted.
        headers: names in lower case.
        kind: how the body was made.
    """

    method: str
    path: str
    query: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes
    kind: str

    def scope(self) -> dict[str, Any]:
        """The ASGI scope of the request."""
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": self.method,
            "scheme": "http",
            "path": self.path,
            "raw_path": quote(self.path, safe="/%", errors="surrogatepass").encode(),
            "root_path": "",
            "query_string": self.query,
            "headers": list(self.headers),
            "client": ("127.0.0.1", 40_000),
            "server": ("127.0.0.1", 8000),
            "state": {},
        }


@dataclass(frozen=True)
class Target:
    """One path of the application."""

    path: str
    methods: tuple[str, ...]
    schema: Mapping[str, Any] | None
    queries: tuple[str, ...]


class Generator:
    """Makes cases for the routes of an application; the same seed makes the same case for the same routes and texts."""

    def __init__(self, app: FastAPI, longest: int, long_share: float, text_size: int = 6000) -> None:
        """Take the routes.

        Args:
            app: whose routes to ask.
            longest: size of the longest bodies in bytes.
            long_share: share of texts that are made as long as that.
            text_size: characters of the longest of the others.
        """
        described = app.openapi()
        self._definitions: Mapping[str, Any] = described.get("components", {}).get("schemas", {})
        self._longest = longest
        self._long_share = long_share
        self._text_size = text_size
        self._texts = real_texts()
        self.targets = tuple(
            _target(route, described["paths"].get(route.path, {}))
            for route in sorted((r for r in app.routes if isinstance(r, Route)), key=lambda r: r.path)
        )
        self._weights = [_LIKELY.get(target.path, 1.5 if target.queries or target.schema else 0.5) for target in self.targets]

    def case(self, seed: int) -> Case:
        """The case of a seed."""
        rng = Random(seed)
        target = rng.choices(self.targets, self._weights)[0]
        method = rng.choice(target.methods) if rng.random() < 0.95 else rng.choice(_METHODS)
        path = (
            target.path
            if rng.random() < 0.98
            else rng.choice(("/", f"/{CANARY}", f"{target.path}/", f"/{target.path}", "*", "/..//"))
        )
        while "{" in path and "}" in path:
            head, _, rest = path.partition("{")
            path = head + rng.choice(_IDS) + rest.partition("}")[2]
        kind, content_type, body = (
            self._body(rng, target) if method not in ("GET", "HEAD") or rng.random() < 0.05 else ("none", "", b"")
        )
        return Case(method, path, self._query(rng, target), self._headers(rng, content_type, body), body, kind)

    def _text(self, rng: Random) -> str:
        if rng.random() < self._long_share:
            return long_text(rng, rng.choice(self._texts), self._longest)
        text = mutated(rng, self._texts, self._text_size)
        at = rng.randrange(len(text) + 1)
        return f"{text[:at]}{CANARY}{text[at:]}"

    def _body(self, rng: Random, target: Target) -> tuple[str, str, bytes]:
        chance = rng.random()
        json_type = "application/json" if rng.random() < 0.95 else rng.choice(_TYPES)
        if chance < 0.45:
            text_type = "text/plain" if rng.random() < 0.85 else rng.choice(_TYPES)
            return "log", text_type, self._text(rng).encode(rng.choice(("utf-8",) * 9 + ("utf-16",)), errors="replace")
        if chance < 0.75 and target.schema:
            value = fitting(rng, target.schema, self._definitions, lambda: self._text(rng))
            return "grammar", json_type, written(rng, value)
        if chance < 0.85:
            return "json", json_type, written(rng, wild(rng, lambda: self._text(rng)[:500]))
        if chance < 0.95:
            noise = rng.randbytes(rng.choice((0, 1, 4, 64, 1024, 5000)))
            return "bytes", rng.choice(_TYPES), noise + CANARY.encode()
        letters = "".join(chr(rng.choice((rng.randrange(0x250), rng.randrange(0xD800)))) for _ in range(rng.randrange(400)))
        return "unicode", rng.choice(("text/plain", json_type)), (letters + CANARY).encode()

    def _query(self, rng: Random, target: Target) -> bytes:
        names = [name for name in target.queries if rng.random() < 0.6]
        if rng.random() < 0.05:
            names.append(rng.choice(("lang", "limit", "q", CANARY, "", "a[]", "__proto__")))
        parts = [f"{quote(name)}={self._query_value(rng, name)}".encode() for name in names]
        if rng.random() < 0.02:
            parts.append(rng.choice((b"%", b"%zz", b"=", b"&&&&", b"\xff\xfe", b"a=" * 500, CANARY.encode())))
        return b"&".join(parts)

    def _query_value(self, rng: Random, name: str) -> str:
        if name == "lang" and rng.random() < 0.6:
            return rng.choice(("en", "zh-CN", "zh-TW", "zh_tw", "fr"))
        if name == "limit" and rng.random() < 0.6:
            return str(rng.choice((1, 5, 50, 51, 0, -1, 10**30)))
        chance = rng.random()
        if chance < 0.6:
            return quote(mutated(rng, self._texts, 200).strip()[:200] + CANARY, errors="replace")
        return rng.choice(
            ("", "%00", "%ff", "%ed%a0%80", "a" * 2001, "nan", "1e999", CANARY, "%0d%0aSet-Cookie:a=b", "显存不足", "+")
        )

    def _headers(self, rng: Random, content_type: str, body: bytes) -> tuple[tuple[bytes, bytes], ...]:
        found = {"host": "errdex.test", "content-type": content_type, "content-length": str(len(body))}
        chance = rng.random()
        if chance < 0.1:
            del found["content-length"]
            found["transfer-encoding"] = "chunked"
        elif chance < 0.105:
            found["content-length"] = rng.choice(("0", "1048577", "9" * 30, "-1", "abc", "\xb2", ""))
        if not content_type:
            del found["content-type"]
        if rng.random() < 0.5:
            found["accept"] = rng.choice(_ACCEPTS)
        if rng.random() < 0.3:
            found["accept-language"] = rng.choice(_LANGUAGES)
        if rng.random() < 0.1:
            found["x-request-id"] = rng.choice(
                ("harmless-id-1", "a" * 300, "a b", "\x1b[31m", "\xff", "", "a\tb", CANARY + "\x07")
            )
        if rng.random() < 0.1:
            found["authorization"] = rng.choice(("Bearer " + CANARY, "Basic YTpi", "Bearer ", "x", "Bearer \xff", "a" * 3000))
        if rng.random() < 0.02:
            found["content-encoding"] = rng.choice(("gzip", "identity", "br", "deflate, gzip", CANARY, ""))
        if rng.random() < 0.03:
            found[
                rng.choice(
                    ("x-forwarded-for", "origin", "range", "if-none-match", "cookie", "expect", "x-api-key", "traceparent")
                )
            ] = rng.choice(
                (
                    CANARY,
                    "null",
                    "https://a.b",
                    "bytes=0-1,2-3",
                    "*",
                    "\xff",
                    "100-continue",
                    "00-" + "0" * 32 + "-" + "0" * 16 + "-01",
                )
            )
        if rng.random() < 0.01:
            found["host"] = rng.choice(("", "a:b:c", "[::1]", CANARY, "x" * 3000, "\xff"))
        return tuple((name.encode(), value.encode("latin-1")) for name, value in found.items())


def _target(route: Route, described: Mapping[str, Any]) -> Target:
    methods = tuple(sorted(route.methods or {"GET"}))
    operation: Mapping[str, Any] = next((described[name] for name in map(str.lower, methods) if name in described), {})
    content = operation.get("requestBody", {}).get("content", {})
    queries = tuple(p["name"] for p in operation.get("parameters", ()) if p.get("in") == "query")
    return Target(route.path, methods, content.get("application/json", {}).get("schema"), queries)


def to_record(case: Case) -> str:
    """All of a case but its body, as JSON."""
    headers = [[name.decode("latin-1"), value.decode("latin-1")] for name, value in case.headers]
    return json.dumps(
        {"method": case.method, "path": case.path, "query": case.query.decode("latin-1"), "headers": headers, "kind": case.kind}
    )


def from_record(record: str, body: bytes) -> Case:
    """The case that was recorded."""
    stored = json.loads(record)
    return Case(
        method=stored["method"],
        path=stored["path"],
        query=stored["query"].encode("latin-1"),
        headers=tuple((name.encode("latin-1"), value.encode("latin-1")) for name, value in stored["headers"]),
        body=body,
        kind=stored["kind"],
    )
