import asyncio
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import Mount, Route
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from errdex.keys import Key, Role, hashed, new_secret, utc_today, write_keys
from errdex.settings import Settings
from errdex.web.access import Access
from errdex.web.app import create_app
from errdex.web.keyfile import KeyFile
from errdex.web.rates import Rates

LOG = "ValueError: Attempting to unscale FP16 gradients."
SHOWN = ("read", "curate", "admin")
REFUSED = ("expired", "revoked", "typo")
# What the first part of each path needs on a server that is not open; and what curators read on any.
CLOSED: dict[str, str | None] = {
    **dict.fromkeys(("lookup", "entries", "search", "e", "metrics"), "read"),
    **dict.fromkeys(("unanswered", "feedback"), "curate"),
    **dict.fromkeys(("livez", "readyz", "docs", "redoc", "openapi.json", "static-offline-docs", ""), None),
}
ALWAYS = ("unanswered", "feedback")


def made_key(name: str, secret: str, role: str, **more: object) -> Key:
    row = {"name": name, "role": role, "sha256": hashed(secret).hex(), "created": utc_today()}
    return Key.model_validate(row | more)


@dataclass
class Keys:
    path: Path
    secrets: dict[str, str] = field(default_factory=dict)

    def header(self, name: str) -> dict[bytes, bytes]:
        return {b"authorization": f"Bearer {self.secrets[name]}".encode("latin-1")} if name in self.secrets else {}


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    made = Keys(tmp_path_factory.mktemp("keys") / "keys.toml")
    made.secrets = {name: new_secret() for name in (*SHOWN, "expired", "revoked")}
    made.secrets["typo"] = made.secrets["read"][:-1] + "é"
    rows = [made_key(role, made.secrets[role], role) for role in SHOWN]
    rows.append(made_key("expired", made.secrets["expired"], "admin", expires=utc_today() - timedelta(days=1)))
    write_keys(made.path, rows)
    return made


@pytest.fixture(scope="module", params=[True, False], ids=["open", "closed"])
def server(request: pytest.FixtureRequest, settings: Settings, keys: Keys) -> Iterator[tuple[TestClient, bool]]:
    chosen = settings.model_copy(update={"keys": keys.path, "open": request.param, "model": "none"})
    with TestClient(create_app(chosen), follow_redirects=False) as running:
        yield running, request.param


def addresses(app: FastAPI) -> Iterator[tuple[str, str]]:
    for route in app.routes:
        path = getattr(route, "path", "")
        if isinstance(route, Mount):
            yield "GET", f"{path}/x.js"
            continue
        assert isinstance(route, (APIRoute, Route)), route
        for method in sorted((route.methods or {"GET"}) - {"HEAD"}):
            yield method, path.replace("{entry_id}", "AMP003")


def needed(path: str, method: str, is_open: bool) -> str | None:
    first = path.split("/")[1]
    assert first in CLOSED, f"{path}: say in errdex.web.access, and here, who may ask for it"
    if first == "feedback" and method == "POST":
        return None if is_open else "read"
    return None if is_open and first not in ALWAYS else CLOSED[first]


def expected(need: str | None, shown: str, *, reads_keys: bool) -> set[int]:
    if need is None:
        return {401} if shown in REFUSED and reads_keys else set()
    if shown not in SHOWN:
        return {401}
    return set() if SHOWN.index(shown) >= SHOWN.index(need) else {403}


@pytest.mark.parametrize("shown", ["nothing", *SHOWN, *REFUSED])
def test_every_route_serves_whom_it_may_and_refuses_the_rest(
    server: tuple[TestClient, bool],
    keys: Keys,
    shown: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    client, is_open = server
    caplog.set_level(logging.DEBUG)
    assert isinstance(client.app, FastAPI)
    asked = [*addresses(client.app), ("GET", "/unanswered"), ("GET", "/feedback"), ("POST", "/feedback"), ("GET", "/metrics")]
    assert len(asked) > 12
    said = []
    for method, path in asked:
        answer = client.request(method, path, headers=keys.header(shown))
        refusal = expected(needed(path, method, is_open), shown, reads_keys=CLOSED[path.split("/")[1]] is not None)
        assert ({answer.status_code} & {401, 403}) == refusal, (method, path)
        if answer.status_code in (401, 403):
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["request_id"] == answer.headers["x-request-id"]
            assert ("www-authenticate" in answer.headers) == (answer.status_code == 401)
        said += [answer.text, *answer.headers.values()]
    for text in (*said, caplog.text):
        assert not [name for name, secret in keys.secrets.items() if secret[4:16] in text]


@pytest.mark.parametrize("header", ["X-API-Key", "x-api-key", "Authorization"])
def test_either_header_shows_a_key(server: tuple[TestClient, bool], keys: Keys, header: str) -> None:
    value = keys.secrets["curate"] if header != "Authorization" else f"bearer {keys.secrets['curate']} "
    assert server[0].get("/unanswered", headers={header: value}).status_code not in (401, 403)
    assert server[0].get("/unanswered", headers={header: ""}).status_code == 401


def test_a_server_without_keys_says_how_to_make_one_and_ignores_headers(settings: Settings) -> None:
    with TestClient(create_app(settings.model_copy(update={"model": "none"}))) as client:
        refused = client.get("/unanswered")
        assert (refused.status_code, refused.json()["type"]) == (403, "urn:errdex:problem:forbidden")
        assert "errdex keys add NAME --role curate" in refused.json()["detail"]
        for header in ({"Authorization": "Bearer of.something.else"}, {"Authorization": "Basic eDp5"}, {"X-API-Key": "x"}):
            assert client.post("/lookup", json={"traceback": LOG}, headers=header).status_code == 200


def status_of(app: FastAPI, path: str, method: str = "GET", root_path: str = "") -> int:
    """What a path gets, as it stands; without its lifespan a server has no index, so 503 comes from an endpoint."""
    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": root_path,
        "query_string": b"q=nan",
        "headers": [(b"host", b"errors.example"), (b"content-type", b"text/plain")],
        "client": ("203.0.113.7", 40000),
        "server": ("errors.example", 80),
    }
    statuses = []

    async def receive() -> Message:
        return {"type": "http.request", "body": LOG.encode()}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    asyncio.run(app(scope, receive, send))
    return int(statuses[0])


@pytest.mark.parametrize("path", ["/entries", "/entries/AMP003", "/search", "/e/AMP003", "/lookup"])
@pytest.mark.parametrize(
    "spelling",
    ["{}", "{}\n", "{}/", "{}//", "/{}", "/.{}", "/x/..{}", "{};x", "{}\0", "{} ", "{}\r", "{}.", "{}%0A"],
)
def test_no_spelling_of_a_path_slips_past_the_roles(tmp_path: Path, keys: Keys, path: str, spelling: str) -> None:
    closed = create_app(Settings(index=tmp_path / "none", site=tmp_path / "none", keys=keys.path, open=False))
    method = "POST" if path == "/lookup" else "GET"
    spelled = spelling.format(path)
    for one in {spelled, spelled.upper(), spelled.replace("/", "/\n", 1)}:
        assert status_of(closed, one, method) in (401, 404)
    bare = create_app(Settings(index=tmp_path / "none", site=tmp_path / "none"))
    if spelling == "{}":
        assert status_of(bare, path, method) == 503


def test_the_documentation_says_which_endpoints_take_a_key(server: tuple[TestClient, bool]) -> None:
    client, is_open = server
    document = client.get("/openapi.json").json()
    assert set(document["components"]["securitySchemes"]) == {"bearer", "header"}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            security = operation.get("security", [{}])
            assert ({} in security) == (needed(path, method.upper(), is_open) is None), (method, path)
    assert "security" not in document["paths"]["/livez"]["get"]


def test_a_server_below_a_prefix_asks_for_keys_too(tmp_path: Path, keys: Keys) -> None:
    closed = create_app(Settings(index=tmp_path / "none", site=tmp_path / "none", keys=keys.path, open=False))
    assert status_of(closed, "/errdex/entries", root_path="/errdex") == 401
    assert status_of(closed, "/errdex/livez", root_path="/errdex") == 200


def test_the_endpoint_is_told_whose_key_it_was(keys: Keys) -> None:
    told: list[Key | None] = []

    async def endpoint(scope: Scope, receive: Receive, send: Send) -> None:
        told.append(scope["state"]["key"])
        await send({"type": "http.response.start", "status": 204})
        await send({"type": "http.response.body"})

    file = KeyFile(keys.path)
    file.reload()
    client = TestClient(Access(endpoint, file, Rates(""), is_open=True))
    client.post("/lookup", headers=keys.header("curate"))
    client.post("/lookup")
    assert [key and (key.name, key.role) for key in told] == [("curate", Role.CURATE), None]


def test_a_file_that_is_broken_from_the_start_refuses_keys_and_serves_the_rest(tmp_path: Path, settings: Settings) -> None:
    path = tmp_path / "keys.toml"
    path.write_text("[[key]\n", encoding="utf-8")
    with TestClient(create_app(settings.model_copy(update={"keys": path, "model": "none"}))) as client:
        assert client.post("/lookup", json={"traceback": LOG}).status_code == 200
        refused = client.post("/lookup", json={"traceback": LOG}, headers={"X-API-Key": new_secret()})
        assert (refused.status_code, refused.json()["type"]) == (503, "urn:errdex:problem:keys")
        assert str(path) not in refused.text
