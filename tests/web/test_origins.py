from collections.abc import Iterator
from typing import NoReturn

import pytest
from starlette.testclient import TestClient

from errdex.lookup import Lookup
from errdex.settings import Settings
from errdex.web.app import create_app

PAGE = "https://errors.example.org"


@pytest.fixture(scope="module")
def client(settings: Settings) -> Iterator[TestClient]:
    """A server with names and friends of its own."""
    bound = {"model": "none", "hosts": "errdex.example.org, *.internal, [::1]", "origins": f"{PAGE}, http://127.0.0.1:3000"}
    with TestClient(create_app(settings.model_copy(update=bound))) as running:
        yield running


@pytest.fixture(scope="module")
def anyone(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings.model_copy(update={"model": "none"}))) as running:
        yield running


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("errdex.example.org", 200),
        ("errdex.example.org:8000", 200),
        ("ERRDEX.Example.ORG", 200),
        ("a.internal", 200),
        ("a.b.internal:80", 200),
        ("[::1]:8000", 200),
        ("evil.example.org", 421),
        ("errdex.example.org.evil", 421),
        ("evilinternal", 421),
        (".internal.evil", 421),
        ("127.0.0.1", 421),
        ("", 421),
        ("errdex.example.org:x", 400),
        ("errdex.example.org@evil", 400),
        ("errdex.example.org/", 400),
        ("errdex.example.org, evil", 400),
    ],
)
def test_only_the_servers_own_names_are_answered(client: TestClient, host: str, status: int) -> None:
    answer = client.get("/entries", headers={"host": host})
    assert answer.status_code == status
    if status != 200:
        problem = answer.json()
        assert problem["type"] == f"urn:errdex:problem:{'unknown-host' if status == 421 else 'bad-request'}"
        assert (problem["field"], problem["request_id"]) == ("Host", answer.headers["x-request-id"])
        assert "evil" not in answer.text


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
def test_whoever_watches_the_server_may_ask_by_its_address(client: TestClient, path: str) -> None:
    assert client.get(path, headers={"host": "10.1.2.3:8000"}).status_code == 200


def test_one_host_is_needed_and_by_default_any_will_do(anyone: TestClient) -> None:
    assert anyone.get("/entries", headers={"host": "any.example.org"}).status_code == 200
    twice = anyone.get("/entries", headers=[("host", "a"), ("host", "b")])
    assert (twice.status_code, twice.json()["field"]) == (400, "Host")


def test_no_redirect_leads_to_a_host_that_the_client_named(anyone: TestClient) -> None:
    answer = anyone.get("/entries/", headers={"host": "evil.example.org"}, follow_redirects=False)
    assert "evil" not in answer.headers.get("location", "")


def test_a_listed_origin_may_ask_and_read_what_matters(client: TestClient) -> None:
    headers = {"host": "a.internal", "origin": PAGE}
    before = headers | {"access-control-request-method": "POST", "access-control-request-headers": "content-type,x-api-key"}
    asked = client.options("/lookup", headers=before)
    assert (asked.status_code, asked.headers["access-control-allow-origin"]) == (200, PAGE)
    answer = client.post("/lookup", headers=headers, json={"traceback": "x"})
    assert answer.headers["access-control-allow-origin"] == PAGE
    assert "access-control-allow-credentials" not in answer.headers
    assert {"X-Request-ID", "Retry-After", "RateLimit"} <= set(answer.headers["access-control-expose-headers"].split(", "))
    assert "Origin" in answer.headers["vary"]
    problem = client.post("/lookup", headers=headers, content=b"x" * (1 << 21))
    assert (problem.status_code, problem.headers["access-control-allow-origin"]) == (413, PAGE)


def test_a_page_of_a_listed_origin_may_read_what_went_wrong(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*given: object, **named: object) -> NoReturn:
        raise ZeroDivisionError

    monkeypatch.setattr(Lookup, "read", fails)
    answer = client.post("/lookup", json={"traceback": "x"}, headers={"host": "a.internal", "origin": PAGE})
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (500, PAGE)
    assert answer.json()["type"] == "urn:errdex:problem:internal"


@pytest.mark.parametrize("origin", ["https://evil.example", "null", f"{PAGE}.evil", "http://errors.example.org"])
def test_another_origin_may_not(client: TestClient, origin: str) -> None:
    headers = {"host": "a.internal", "origin": origin}
    assert client.options("/lookup", headers=headers | {"access-control-request-method": "POST"}).status_code == 400
    assert "access-control-allow-origin" not in client.get("/entries", headers=headers).headers


def test_by_default_no_other_origin_may_ask(anyone: TestClient) -> None:
    answer = anyone.get("/entries", headers={"origin": PAGE})
    assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.parametrize(("path", "status"), [("/livez", 200), ("/entries", 200), ("/nowhere", 404), ("/lookup", 405)])
def test_every_answer_of_the_api_tells_browsers_to_do_nothing_with_it(anyone: TestClient, path: str, status: int) -> None:
    answer = anyone.get(path)
    assert answer.status_code == status
    assert answer.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["cross-origin-resource-policy"] == "same-site"
