import asyncio
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from errdex.catalog import Catalog
from errdex.encoder import Encoder
from errdex.errors import BusyError
from errdex.index import build_index, save_index
from errdex.settings import Settings
from errdex.web.app import create_app
from errdex.web.problems import send_problem
from errdex.web.tallies import Tallies
from errdex.web.telemetry import Telemetry, Watch

LOG = "ValueError: Attempting to unscale FP16 gradients."
CANARY = "canary-5b21e"


@pytest.fixture
def app(small: Settings) -> FastAPI:
    return create_app(small)


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, raise_server_exceptions=False) as running:
        yield running


def served(app: FastAPI) -> dict[tuple[str, str, int], int]:
    """How many requests by method, route and status."""
    tallies: Tallies = app.state.tallies
    return {key: sum(durations.counts) for key, durations in tallies.requests.items()}


def test_a_request_counts_under_its_route(app: FastAPI, client: TestClient) -> None:
    client.get("/entries/AMP003")
    client.get("/entries/unscale-fp16-gradients")
    client.get("/entries/XYZ999")
    client.post("/lookup", content=LOG.encode())
    assert served(app) == {
        ("GET", "/entries/{entry_id}", 200): 2,
        ("GET", "/entries/{entry_id}", 404): 1,
        ("POST", "/lookup", 200): 1,
    }
    assert app.state.tallies.active == 0


def test_what_people_make_up_gives_no_new_rows(app: FastAPI, client: TestClient) -> None:
    for number in range(20):
        client.get(f"/{CANARY}/{number}")
        client.get(f"/entries/{CANARY}{number}?lang={CANARY}")
        client.request(f"BREW{number}", f"/{number}")
    assert served(app) == {
        ("GET", "other", 404): 20,
        ("GET", "/entries/{entry_id}", 422): 20,
        ("_OTHER", "other", 404): 20,
    }


def test_files_of_the_site_are_one_route(small: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    site = tmp_path_factory.mktemp("site")
    for name in ("one.html", "two.html"):
        (site / name).write_text("<p>page", encoding="utf-8")
    app = create_app(small.model_copy(update={"site": site}))
    with TestClient(app) as client:
        assert [client.get(path).status_code for path in ("/one.html", "/two.html", "/three.html")] == [200, 200, 404]
    assert served(app) == {("GET", "/{file}", 200): 2, ("GET", "/{file}", 404): 1}


def test_each_text_of_a_batch_is_a_lookup(app: FastAPI, client: TestClient) -> None:
    client.post(
        "/lookup/batch", json={"items": [{"traceback": LOG}, {"traceback": LOG}, {"traceback": "nothing of note happened"}]}
    )
    assert app.state.tallies.lookups == {("match", "signature"): 2, ("no_match", "none"): 1}


@pytest.mark.parametrize(
    ("path", "body", "kind"),
    [
        ("/lookup", b"", "empty-input"),
        ("/lookup", b"x" * (2 << 20), "too-large"),
        ("/lookup/batch", b'{"items": []}', "invalid-field"),
        ("/lookup/batch", b"[", "malformed"),
        ("/nowhere", b"", "not-found"),
    ],
)
def test_a_problem_counts_by_its_kind(app: FastAPI, client: TestClient, path: str, body: bytes, kind: str) -> None:
    client.post(path, content=body)
    assert app.state.tallies.problems == {kind: 1}


def test_two_applications_count_apart(small: Settings) -> None:
    first, second = create_app(small), create_app(small)
    with TestClient(first) as asked, TestClient(second) as idle:
        asked.post("/lookup", content=LOG.encode())
        assert 'errdex_lookups_total{stage="signature",status="match"} 1.0' in asked.get("/metrics").text
        assert "errdex_lookups_total{" not in idle.get("/metrics").text


def test_metrics_can_be_switched_off(small: Settings) -> None:
    with TestClient(create_app(small.model_copy(update={"metrics": False}))) as client:
        assert client.get("/metrics").status_code == 404


def test_an_index_that_is_refused_is_counted(small: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("errdex") / "index"
    app = create_app(small.model_copy(update={"index": root}))
    with TestClient(app):
        refused = app.state.live.refusals
        root.mkdir()
        (root / "current").write_text("v-broken", encoding="utf-8")
        assert not app.state.live.reload()
        assert (app.state.live.loads, app.state.live.refusals) == (0, refused + 1)


def test_a_new_index_is_counted(
    small: Settings, catalog: Catalog, encoder: Encoder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("errdex") / "index"
    app = create_app(small.model_copy(update={"index": root}))
    with TestClient(app) as client:
        save_index(build_index(Catalog(entries={"AMP003": catalog.get("AMP003")}, digest="few"), encoder), root)
        assert app.state.live.reload()
        assert "errdex_index_entries 1.0" in client.get("/metrics").text
        assert app.state.live.loads == 1


def test_nothing_that_was_sent_stands_in_the_metrics(client: TestClient) -> None:
    secret = {"x-request-id": CANARY, "user-agent": CANARY, "traceparent": CANARY, "accept": CANARY}
    client.post("/lookup", content=f"{CANARY}Error: {CANARY} {LOG}".encode(), headers=secret)
    client.post("/lookup", json={"traceback": LOG, "lang": CANARY}, headers=secret)
    client.get(f"/search?q={CANARY}&lang={CANARY}", headers=secret)
    client.get(f"/{CANARY}", headers=secret)
    client.request(CANARY.upper(), f"/{CANARY}")
    assert CANARY not in client.get("/metrics", headers=secret).text.lower()


def run(inner: ASGIApp | Exception | None, watch: Watch) -> None:
    """One request through the middleware alone, to an application that answers, raises, or says nothing."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if isinstance(inner, Exception):
            raise inner
        if inner is not None:
            await inner(scope, receive, send)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        pass

    scope: Scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "state": {}}
    asyncio.run(Telemetry(application, watch)(scope, receive, send))


@pytest.mark.parametrize(("status", "kind"), [(400, "bad-request"), (502, "internal"), (418, "other")])
def test_an_answer_that_is_no_problem_document_is_counted_by_its_status(status: int, kind: str) -> None:
    watch = Watch()
    run(PlainTextResponse("no", status), watch)
    assert watch.tallies.problems == {kind: 1}


def test_what_another_layer_refuses_is_counted_by_its_kind() -> None:
    async def refuses(scope: Scope, receive: Receive, send: Send) -> None:
        await send_problem(scope, send, BusyError("Ask again."))

    watch = Watch()
    run(refuses, watch)
    assert watch.tallies.problems == {"busy": 1}


def test_a_fault_counts_as_500_and_goes_on_upwards() -> None:
    watch = Watch()
    with pytest.raises(ZeroDivisionError):
        run(ZeroDivisionError(), watch)
    assert list(watch.tallies.requests) == [("GET", "other", 500)]
    assert (watch.tallies.problems, watch.tallies.active) == ({"internal": 1}, 0)


def test_a_client_that_went_away_is_told_apart_from_a_fault() -> None:
    watch = Watch()
    run(None, watch)
    assert watch.tallies.problems == {"client-gone": 1}
