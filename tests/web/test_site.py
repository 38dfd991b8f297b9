from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from errdex.settings import Settings
from errdex.web.app import create_app
from errdex.web.site import content_security_policy

POLICY = "content-security-policy"


@pytest.fixture
def client(settings: Settings, tmp_path: Path) -> Iterator[TestClient]:
    (tmp_path / "index.html").write_text("<h1>errdex</h1>", encoding="utf-8")
    (tmp_path / "404.html").write_text("<h1>nothing</h1>", encoding="utf-8")
    with TestClient(create_app(settings.model_copy(update={"site": tmp_path}))) as running:
        yield running


@pytest.mark.parametrize(("path", "status"), [("/", 200), ("/index.html", 200), ("/nowhere/", 404)])
def test_every_file_of_the_site_is_sent_with_the_policy(path: str, status: int, client: TestClient) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert answer.headers[POLICY] == content_security_policy()


def test_a_file_that_has_not_changed_is_sent_with_the_policy(client: TestClient) -> None:
    tag = client.get("/").headers["etag"]
    answer = client.get("/", headers={"If-None-Match": tag})
    assert (answer.status_code, answer.headers[POLICY]) == (304, content_security_policy())


def test_the_policy_lets_no_script_stand_inside_a_page() -> None:
    rules = dict(rule.split(" ", 1) for rule in content_security_policy().split("; "))
    assert rules["script-src"] == rules["worker-src"] == "'self'"


def test_the_api_has_policies_of_its_own(client: TestClient) -> None:
    assert client.get("/livez").headers[POLICY] == "default-src 'none'; frame-ancestors 'none'"
    assert POLICY not in client.get("/docs").headers  # its scripts stand inside the page


def test_what_an_endpoint_refuses_is_not_looked_for_in_the_site(client: TestClient) -> None:
    answer = client.get("/lookup")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("path", ["/en", "//en", "/en?q=nan"])
def test_a_folder_without_its_slash_leads_to_no_other_host(settings: Settings, tmp_path: Path, path: str) -> None:
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "index.html").write_text("<h1>errdex</h1>", encoding="utf-8")
    app = create_app(settings.model_copy(update={"site": tmp_path, "model": "none"}))
    with TestClient(app, follow_redirects=False) as client:
        answer = client.get(f"http://evil.example{path}")
    assert answer.status_code == 307
    assert answer.headers["location"] == path.replace("en", "en/").replace("//", "/", path.startswith("//"))


def test_a_server_elsewhere_may_be_asked_when_it_is_set(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<h1>errdex</h1>", encoding="utf-8")
    elsewhere = settings.model_copy(update={"site": tmp_path, "api_url": "https://api.example"})
    with TestClient(create_app(elsewhere)) as running:
        assert "connect-src 'self' https://api.example;" in running.get("/").headers[POLICY]
