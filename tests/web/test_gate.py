import asyncio
import json
from collections.abc import Callable, Iterator

import pytest
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from bench.faults import bombs
from errdex.settings import Settings
from errdex.web.app import create_app, worked_paths
from errdex.web.body import parse_json
from errdex.web.gate import Gate

LIMIT = 2000


class Inner:
    """An application that answers when it is let, and says how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.bodies: list[bytes] = []
        self.go = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked += 1
        if scope["method"] == "POST":
            message = await receive()
            assert not message["more_body"]
            self.bodies.append(message["body"])
        await self.go.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


class Asked:
    """One request: its parts are given one after the other, its answer is kept."""

    def __init__(self, path: str = "/lookup", method: str = "POST", headers: dict[str, str] | None = None) -> None:
        given = headers if headers is not None else {"transfer-encoding": "chunked"} if method == "POST" else {}
        raw = [(name.encode(), value.encode()) for name, value in given.items()]
        self.scope: Scope = {"type": "http", "path": path, "method": method, "headers": raw, "state": {"request_id": "r" * 8}}
        self.parts: asyncio.Queue[Message] = asyncio.Queue()
        self.status = 0
        self.headers: dict[bytes, bytes] = {}
        self.body = b""

    def send(self, body: bytes, *, more: bool = False) -> "Asked":
        self.parts.put_nowait({"type": "http.request", "body": body, "more_body": more})
        return self

    def to(self, gate: Gate) -> "asyncio.Task[None]":
        return asyncio.ensure_future(gate(self.scope, self.parts.get, self._answer))

    async def _answer(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], dict(message["headers"])
        else:
            self.body += message["body"]

    @property
    def kind(self) -> str:
        return str(json.loads(self.body)["type"]).rsplit(":", 1)[1]


@pytest.fixture
def inner() -> Inner:
    return Inner()


@pytest.fixture
def gate(inner: Inner) -> Gate:
    return Gate(inner, Settings(max_body=LIMIT, concurrency=2), {"lookup", "entries"})


async def _settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"content-length": str(LIMIT + 1)}, 413),
        ({"content-length": "9" * 30}, 413),
        ({"content-length": "5", "content-encoding": "gzip"}, 415),
        ({"transfer-encoding": "gzip, chunked"}, 415),
    ],
)
def test_what_the_headers_rule_out_is_refused_before_anything_is_read(
    gate: Gate, inner: Inner, headers: dict[str, str], status: int
) -> None:
    async def check() -> None:
        asked = Asked(headers=headers)
        await asked.to(gate)  # nothing was sent: it would wait for ever if it read
        assert (asked.status, asked.headers[b"Connection".lower()]) == (status, b"close")
        assert json.loads(asked.body)["request_id"] == "r" * 8

    asyncio.run(check())
    assert inner.asked == 0


@pytest.mark.parametrize("parts", [[LIMIT], [LIMIT - 1, 1], [1] * 50, [0, 5, 0]])
def test_a_body_within_the_limit_comes_whole(gate: Gate, inner: Inner, parts: list[int]) -> None:
    async def check() -> None:
        inner.go.set()
        asked = Asked()
        for size in parts:
            asked.send(b"x" * size, more=True)
        await asked.send(b"").to(gate)
        assert asked.status == 200

    asyncio.run(check())
    assert inner.bodies == [b"x" * sum(parts)]


@pytest.mark.parametrize("headers", [None, {}], ids=["in chunks", "of HTTP/2"])
@pytest.mark.parametrize("path", ["/lookup", "/lookup\n", "/entries\n"])
def test_a_body_that_grows_over_the_limit_is_cut_off_there(
    gate: Gate, inner: Inner, path: str, headers: dict[str, str] | None
) -> None:
    async def check() -> None:
        asked = Asked(path, headers=headers).send(b"x" * LIMIT, more=True)
        task = asked.to(gate)
        await _settled()
        assert not task.done()
        asked.send(b"x", more=True)
        await task
        assert (asked.status, asked.kind, asked.headers[b"connection"]) == (413, "too-large", b"close")
        await Asked().send(b"x" * LIMIT, more=True).send(b"x").to(gate)

    asyncio.run(check())
    assert inner.asked == 0


def test_more_than_may_be_at_work_are_refused_and_slow_senders_hold_no_place(gate: Gate, inner: Inner) -> None:
    async def check() -> None:
        slow = [Asked().send(b"x", more=True) for _ in range(20)]
        sending = [one.to(gate) for one in slow]
        working = [Asked().send(b"x").to(gate), Asked("/entries/X", "GET").to(gate)]
        await _settled()
        assert inner.asked == 2
        for refused in (Asked().send(b"x"), Asked("/entries", "GET"), slow[0].send(b"")):
            await (sending[0] if refused is slow[0] else refused.to(gate))
            assert (refused.status, refused.kind, refused.headers[b"retry-after"]) == (503, "busy", b"1")
            assert b"connection" not in refused.headers
        inner.go.set()
        await asyncio.gather(*working)
        for one in slow[1:]:
            one.send(b"")
        await asyncio.gather(*sending)
        assert {one.status for one in slow[1:]} <= {200, 503}
        after = Asked().send(b"x")
        await after.to(gate)
        assert after.status == 200

    asyncio.run(check())


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/metrics", "/", "/en/", "/assets/x.js", "/lookupbox.js"])
def test_health_and_files_are_never_refused_for_want_of_a_place(gate: Gate, inner: Inner, path: str) -> None:
    async def check() -> None:
        working = [Asked().send(b"x").to(gate) for _ in range(2)]
        await _settled()
        inner.go.set()
        asked = Asked(path, "GET")
        await asked.to(gate)
        assert asked.status == 200
        await asyncio.gather(*working)

    asyncio.run(check())


def test_large_bodies_share_a_bounded_room_and_small_ones_always_find_some() -> None:
    async def check() -> None:
        inner = Inner()
        inner.go.set()
        limit = 200_000
        gate = Gate(inner, Settings(max_body=limit, concurrency=2), {"lookup"})
        half = [Asked().send(b"x" * (limit // 2), more=True) for _ in range(17)]
        tasks = [one.to(gate) for one in half]
        await _settled()
        assert [one.status for one in half] == [0] * 16 + [503]
        assert half[16].headers[b"connection"] == b"close"
        small = Asked().send(b"x" * 60_000)
        await small.to(gate)
        assert small.status == 200
        half[0].parts.put_nowait({"type": "http.disconnect"})
        await tasks[0]
        large = Asked().send(b"x" * (limit // 2))
        await large.to(gate)
        assert large.status == 200
        for one in half[1:16]:
            one.parts.put_nowait({"type": "http.disconnect"})
        await asyncio.gather(*tasks)
        assert inner.asked == 2

    asyncio.run(check())


def test_a_place_is_free_again_when_the_application_fails(gate: Gate) -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise ZeroDivisionError

    async def check() -> None:
        failing = Gate(broken, Settings(max_body=LIMIT, concurrency=1), {"lookup"})
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await Asked().send(b"x").to(failing)

    asyncio.run(check())


def test_the_application_knows_which_of_its_paths_mean_work(settings: Settings) -> None:
    worked = worked_paths(create_app(settings))
    assert {"lookup", "entries", "search", "e"} <= worked
    assert not {"livez", "readyz", "metrics", "docs", "redoc", ""} & worked


@pytest.fixture(scope="module")
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings.model_copy(update={"model": "none"}))) as running:
        yield running


@pytest.mark.parametrize("path", ["/lookup", "/lookup/batch"])
@pytest.mark.parametrize("name", sorted(set(bombs.BOMBS) - {"a fraction of a megabyte"}))
def test_json_that_is_dear_to_read_is_refused(client: TestClient, name: str, path: str) -> None:
    answer = client.post(path, content=bombs.BOMBS[name], headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["type"].startswith("urn:errdex:problem:")
    assert len(answer.content) < 2048


@pytest.mark.parametrize(
    ("body", "parsed"),
    [
        (b'{"a": [1, 2.5, null, true]}', {"a": [1, 2.5, None, True]}),
        (b'\xef\xbb\xbf{"a": "b"}', {"a": "b"}),
        ('{"a": "显存"}'.encode("utf-16"), {"a": "显存"}),
        (b'{"a": "\\ud83d\\ude00"}', {"a": "\U0001f600"}),
        (b'{"a": "\\ud83d"}', {"a": "\ud83d"}),
        (b'{"a": "' + b'[{,\\"' * 50_000 + b'"}', {"a": '[{,"' * 50_000}),
        (b'{"a": "' + b"\\\\" * 50_000 + b'"}', {"a": "\\" * 50_000}),
        (b'{"a": ' + b"[" * 190 + b"]" * 190 + b"}", None),
    ],
)
def test_json_that_is_only_odd_is_read(body: bytes, parsed: object) -> None:
    assert parsed is None or parse_json(body) == parsed
    parse_json(body)


def test_reading_json_takes_twice_as_long_for_twice_as_much() -> None:
    from time import process_time

    def took(read: Callable[[bytes], object], body: bytes) -> float:
        times = []
        for _ in range(5):
            start = process_time()
            read(body)
            times.append(process_time() - start)
        return min(times)

    text = b'[{,\\"\\\\' * 40_000
    once, twice = (took(parse_json, b'{"a": "' + text * times + b'"}') for times in (1, 2))
    assert twice < 4 * once + 0.005
