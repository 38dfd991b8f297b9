"""Sends secrets through every path of the server and looks for them in everything that it writes.

python -m bench.privacy.canary --requests 100000
"""

import argparse
import asyncio
import io
import json
import logging
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote

from fastapi import FastAPI

from bench.privacy.carriers import Pair, pairs
from bench.privacy.measure import leaks
from errdex.journal import start_journal
from errdex.keys import Key, Role, new_secret, write_keys
from errdex.settings import Settings
from errdex.web.app import create_app

_FLUSH_SECONDS = 120.0
_PIECE = 12  # characters of a secret that give it away in a file; of eight hex digits, request ids hold some by chance
_JSON = (b"content-type", b"application/json")
_TEXT = (b"content-type", b"text/plain")


@dataclass
class Request:
    """One request as ASGI sees it."""

    method: str
    path: str
    query: bytes = b""
    headers: tuple[tuple[bytes, bytes], ...] = ()
    body: bytes = b""


Route = Callable[[str], Request]


def _header(text: str) -> bytes:
    return text.encode("ascii", errors="replace")[:200]


# Each makes a request of a text.
ROUTES: dict[str, Route] = {
    "lookup, JSON": lambda t: Request("POST", "/lookup", headers=(_JSON,), body=json.dumps({"traceback": t}).encode()),
    "lookup, text": lambda t: Request("POST", "/lookup", headers=(_TEXT, (b"accept", b"text/plain")), body=t.encode()),
    "lookup, Markdown": lambda t: Request("POST", "/lookup", headers=(_TEXT, (b"accept", b"text/markdown")), body=t.encode()),
    "batch": lambda t: Request(
        "POST", "/lookup/batch", headers=(_JSON,), body=json.dumps({"items": [{"traceback": t}]}).encode()
    ),
    "search": lambda t: Request("GET", "/search", query=f"q={quote(t)}".encode()),
    "vote": lambda t: Request(
        "POST", "/feedback", headers=(_JSON,), body=json.dumps({"entry": "AMP003", "right": False, "comment": t[:500]}).encode()
    ),
    "vote on nothing": lambda t: Request(
        "POST", "/feedback", headers=(_JSON,), body=json.dumps({"entry": t[:90], "right": False, "request_id": t}).encode()
    ),
    "wrong key": lambda t: Request("GET", "/unanswered", headers=((b"x-api-key", _header(t)),)),
    "torn JSON": lambda t: Request("POST", "/lookup", headers=(_JSON,), body=json.dumps({"traceback": t}).encode()[:-1]),
    "wrong type": lambda t: Request("POST", "/lookup", headers=(_JSON,), body=json.dumps({"traceback": {"a": t}}).encode()),
    "unknown field": lambda t: Request(
        "POST", "/lookup", headers=(_JSON,), body=json.dumps({"traceback": "x", "more": t}).encode()
    ),
    "environment name": lambda t: Request(
        "POST", "/lookup", headers=(_JSON,), body=json.dumps({"traceback": "x", "environment": {t: {}}}).encode()
    ),
    "field name": lambda t: Request("POST", "/lookup", headers=(_JSON,), body=json.dumps({"traceback": "x", t: 1}).encode()),
    "language": lambda t: Request("POST", "/lookup", headers=(_JSON,), body=json.dumps({"traceback": "x", "lang": t}).encode()),
    "environment": lambda t: Request(
        "POST", "/lookup", headers=(_JSON,), body=json.dumps({"traceback": "x", "environment": {"torch": t}}).encode()
    ),
    "unknown path": lambda t: Request("GET", "/" + t),
    "entry": lambda t: Request("GET", "/entries/" + t.replace("/", "_")),
    "headers": lambda t: Request(
        "POST",
        "/lookup",
        headers=(_TEXT, (b"x-request-id", _header(t)), (b"authorization", _header(t)), (b"accept-language", _header(t))),
        body=b"ValueError: x",
    ),
    "failure": lambda t: Request(
        "POST", "/lookup", headers=(_JSON, (b"x-fail", b"1")), body=json.dumps({"traceback": t}).encode()
    ),
}


@dataclass
class Searched:
    """What was sent, and where something of it was found."""

    sent: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    found: list[tuple[str, Pair]] = field(default_factory=list)
    in_files: dict[str, list[str]] = field(default_factory=dict)
    pieces: set[bytes] = field(default_factory=set)
    read: Counter[int] = field(default_factory=Counter)
    bytes_read: int = 0
    stored: int = 0
    curated: int = 0


class Failing:
    """Stands in for the lookup: whatever it is asked fails, with the text in the message."""

    def __getattr__(self, name: str) -> Callable[..., NoReturn]:
        def fail(*given: object, **named: object) -> NoReturn:
            raise ValueError(f"could not read {given!r} {named!r}")

        return fail


async def ask(app: FastAPI, request: Request) -> tuple[int, bytes]:
    """The status, and every byte of the answer, headers included."""
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": request.path,
        "raw_path": quote(request.path).encode(),
        "query_string": request.query,
        "root_path": "",
        "headers": [(b"host", b"testserver"), *request.headers],
        "client": ("127.0.0.1", 4242),
        "server": ("testserver", 80),
        "state": {},
    }
    waiting: Iterator[dict[str, Any]] = iter([{"type": "http.request", "body": request.body, "more_body": False}])
    status, written = 0, bytearray()

    async def receive() -> dict[str, Any]:
        return next(waiting, {"type": "http.disconnect"})

    async def send(message: MutableMapping[str, Any]) -> None:
        nonlocal status
        status = message.get("status", status)
        written.extend(message.get("body", b""))
        for name, value in message.get("headers", ()):
            written.extend(name + b": " + value + b"\n")

    await app(scope, receive, send)
    return status, bytes(written)


def pieces_of(secrets: Iterable[str]) -> set[bytes]:
    """What gives a secret away in a file; the shortest could stand there by chance and are looked for in answers only."""
    found: set[bytes] = set()
    for secret in secrets:
        coded = secret.encode()
        if len(coded) >= _PIECE:
            found |= {coded[-_PIECE:], coded[len(coded) // 2 - _PIECE // 2 :][:_PIECE]}
    # `internal` ends a machine's name, and stands in the answers of any server.
    return {piece for piece in found if any(48 <= byte <= 57 for byte in piece)}


def places_of(pieces: set[bytes], output: bytes) -> list[str]:
    """What stands around each place of an output where some piece of a secret does."""
    places = (i for i in range(len(output) - _PIECE + 1) if output[i : i + _PIECE] in pieces)
    return [output[max(0, i - 80) : i + 40].decode(errors="replace") for i in places]


# What curators read, whole.
_READ = ("/metrics", "/feedback", "/unanswered", *(f"/unanswered/{number}" for number in range(1, 21)))


async def search(settings: Settings, count: int, seed: int, folder: Path) -> Searched:
    """Send secrets through all paths in turn; look for them in the answers, the log at DEBUG, what curators read, and the store.

    Args:
        settings: of the server.
        count: how many requests.
        seed: of the secrets.
        folder: an empty folder for the store; every file that comes to be in it is searched.
    """
    log = io.StringIO()
    start_journal("json", logging.DEBUG, log)
    key = new_secret()
    curator = Key.of("curator", key, Role.CURATE)
    write_keys(folder / "keys.toml", [curator])
    here = {"keys": folder / "keys.toml", "store": f"sqlite:///{folder / 'store.sqlite3'}"}
    app = create_app(settings.model_copy(update=here))
    done = Searched()
    written: dict[str, bytes] = {}
    async with app.router.lifespan_context(app):
        live = app.state.live
        healthy = live.lookup
        for number, pair in enumerate(pairs(count, seed)):
            name = list(ROUTES)[number % len(ROUTES)]
            live._lookup = Failing() if name == "failure" else healthy
            status, answer = await ask(app, ROUTES[name](pair.text))
            done.sent[name] += 1
            done.statuses[status] += 1
            done.bytes_read += len(answer)
            done.pieces |= pieces_of(pair.secrets)
            # The end of a machine's name stands in the answers of any server.
            if leaks([secret for secret in pair.secrets if not secret.endswith("internal")], answer.decode(errors="replace")):
                done.found.append((name, pair))
        live._lookup = healthy
        # The recorder writes in a thread of its own: curators would read a store that is still empty.
        if not await asyncio.to_thread(app.state.recorder.flush, _FLUSH_SECONDS):
            raise TimeoutError("the recorder did not write everything in time")
        for path in _READ:
            status, answer = await ask(app, Request("GET", path, headers=((b"x-api-key", key.encode()),)))
            done.read[status] += 1
            done.curated += len(answer) if status == 200 else 0
            written[path] = answer
    written["log"] = log.getvalue().encode()
    written |= {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    done.bytes_read += sum(map(len, written.values()))
    done.stored = len(written.get("store.sqlite3", b""))
    done.in_files = {name: places for name, output in written.items() if (places := places_of(done.pieces, output))}
    return done


def main() -> int:
    """Print what was found; exit status 1 if it is anything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=7)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        done = asyncio.run(search(Settings(model="none"), chosen.requests, chosen.seed, Path(folder)))
    figures = {
        "requests": sum(done.sent.values()),
        "by path": done.sent,
        "by status": done.statuses,
        "what curators read, by status": done.read,
        "bytes read by curators": done.curated,
        "bytes searched": done.bytes_read,
        "bytes stored": done.stored,
        "found in answers": len(done.found),
        "found in files": done.in_files,
    }
    print(json.dumps(figures, indent=2))
    for name, pair in done.found[:10]:
        print(f"{name}: {pair.kind}: {pair.text!r}", file=sys.stderr)
    return int(bool(done.found or done.in_files))


if __name__ == "__main__":
    sys.exit(main())
