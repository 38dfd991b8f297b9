import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from errdex.catalog import Catalog
from errdex.encoder import Encoder
from errdex.errors import ErrdexError
from errdex.index import build_index, save_index
from errdex.settings import Settings
from errdex.web.app import create_app
from tests.conftest import ROOT

LOG = "ValueError: Attempting to unscale FP16 gradients."


@pytest.fixture(scope="module")
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings)) as running:
        yield running


def test_json_in_json_out(client: TestClient) -> None:
    answer = client.post("/lookup", json={"traceback": LOG, "lang": "zh-CN"})
    assert answer.status_code == 200
    body = answer.json()
    assert (body["status"], body["results"][0]["id"], body["results"][0]["lang"]) == ("match", "AMP003", "zh-CN")
    assert body["results"][0]["evidence"]["stage"] == "signature"
    assert body["request_id"] == answer.headers["x-request-id"]
    assert body["index"].startswith("sha256:")


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "application/octet-stream", "text/x-log", ""]
)
def test_a_log_as_it_is(client: TestClient, content_type: str) -> None:
    answer = client.post("/lookup", content=LOG.encode(), headers={"content-type": content_type})
    assert answer.json()["results"][0]["id"] == "AMP003"


def test_a_server_can_do_without_the_model(settings: Settings) -> None:
    with TestClient(create_app(settings.model_copy(update={"model": "none"}))) as running:
        assert running.post("/lookup", json={"traceback": LOG}).json()["results"][0]["id"] == "AMP003"
        asked = running.post("/lookup", json={"traceback": "why does my loss become nan with fp16?"}).json()
    assert {result["evidence"]["stage"] for result in asked["results"]} == {"lexical"}


def test_curl_with_d_and_json(client: TestClient) -> None:
    headers = {"content-type": "application/x-www-form-urlencoded"}
    answer = client.post("/lookup", content=json.dumps({"traceback": LOG, "lang": "en"}).encode(), headers=headers)
    assert answer.json()["results"][0]["lang"] == "en"


@pytest.mark.parametrize(("accept", "start"), [("text/markdown", "**Match**"), ("text/plain", "Match"), ("*/*", "{")])
def test_the_form_that_is_asked_for(client: TestClient, accept: str, start: str) -> None:
    answer = client.post("/lookup", content=LOG.encode(), headers={"accept": accept, "content-type": "text/plain"})
    assert answer.text.startswith(start)


@pytest.mark.parametrize(
    ("text", "accept_language", "lang"),
    [
        (LOG, "", "en"),
        (LOG, "zh-TW,zh;q=0.9,en;q=0.8", "zh-TW"),
        (f"训练时报错：{LOG}", "en", "zh-CN"),
        (f"訓練時出現錯誤：{LOG}", "en", "zh-TW"),
    ],
)
def test_the_language_of_the_answer(client: TestClient, text: str, accept_language: str, lang: str) -> None:
    headers = {"accept-language": accept_language, "content-type": "text/plain"}
    answer = client.post("/lookup", content=text.encode(), headers=headers)
    assert (answer.json()["lang"], answer.headers["content-language"]) == (lang, lang)


def test_a_text_without_an_error(client: TestClient) -> None:
    body = client.post("/lookup", json={"traceback": "the weather in Lisbon is fine today and the trams are on time"}).json()
    assert (body["status"], body["results"]) == ("no_match", [])
    assert "weather" in body["looked_for"]


def test_half_a_character_in_a_text_costs_only_that_character(client: TestClient) -> None:
    body = json.dumps(
        {
            "traceback": "\ud800 " + LOG,
        }
    )
    answer = client.post("/lookup", content=body.encode(), headers={"content-type": "application/json"})
    assert answer.json()["results"][0]["id"] == "AMP003"


def test_batch_keeps_the_order(client: TestClient) -> None:
    items = [{"traceback": "nothing of note happened"}, {"traceback": LOG}]
    answers = client.post("/lookup/batch", json={"items": items}).json()["answers"]
    assert [answer["status"] for answer in answers] == ["no_match", "match"]


def test_entries_and_one_entry(client: TestClient, catalog: Catalog) -> None:
    listed = client.get("/entries?lang=zh-TW").json()
    assert [entry["id"] for entry in listed] == [entry.id for entry in catalog.active]
    one = client.get("/entries/AMP003?lang=zh-TW").json()
    assert one["markdown"] == catalog.get("AMP003").pages["zh-TW"].source
    assert client.get("/entries/unscale-fp16-gradients").json()["id"] == "AMP003"


@pytest.mark.parametrize("query", ["显存不足", "顯示記憶體不足", "out of memory"])
def test_search_in_three_languages(client: TestClient, query: str) -> None:
    found = [entry["id"] for entry in client.get("/search", params={"q": query}).json()[:3]]
    assert {"MEM001", "MEM002"} & set(found)


def test_the_permanent_address_leads_to_the_readers_language(client: TestClient) -> None:
    answer = client.get("/e/amp003", headers={"accept-language": "zh-CN"}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, "/zh-CN/amp/unscale-fp16-gradients/")


def test_health(client: TestClient, catalog: Catalog) -> None:
    assert client.get("/livez").json()["status"] == "ok"
    assert client.get("/readyz").json()["entries"] == len(catalog.active)


def test_the_documentation_needs_no_other_host(client: TestClient) -> None:
    assert "https://" not in client.get("/docs").text
    paths = client.get("/openapi.json").json()["paths"]
    assert {
        "/lookup",
        "/lookup/batch",
        "/entries",
        "/entries/{entry_id}",
        "/search",
        "/e/{entry_id}",
        "/livez",
        "/readyz",
    } <= set(paths)


def test_the_schema_refers_only_to_what_it_defines(client: TestClient) -> None:
    answer = client.get("/openapi.json")
    wanted = set(re.findall(r'"#/components/schemas/(\w+)"', answer.text))
    assert "#/$defs" not in answer.text
    assert wanted <= set(answer.json()["components"]["schemas"])


CANARY = "canary-7f3a9"
BAD = {
    "empty": ({"content": b""}, 422, "traceback"),
    "blank": ({"json": {"traceback": "  \n "}}, 422, "traceback"),
    "too large": ({"content": CANARY.encode() * 120_000}, 413, None),
    "too large, chunked": ({"content": iter([CANARY.encode() * 1000] * 120)}, 413, None),
    "binary": ({"content": b"\x00\x01\x02\x03" * 500}, 422, "traceback"),
    "binary with bad bytes": ({"content": b"\x7fELF\x00\xff\xfe\x00" * 500}, 422, None),
    "torn JSON": ({"content": b'{"traceback": "' + CANARY.encode(), "headers": {"content-type": "application/json"}}, 400, None),
    "deep JSON": ({"content": b"[" * 100_000, "headers": {"content-type": "application/json"}}, 400, None),
    "no object": ({"json": [CANARY]}, 422, None),
    "no traceback": ({"json": {"text": CANARY}}, 422, "traceback"),
    "wrong type": ({"json": {"traceback": {"a": CANARY}}}, 422, "traceback"),
    "unknown key": ({"json": {"traceback": "x", CANARY: CANARY}}, 422, None),
    "long unknown keys": ({"json": {"traceback": "x"} | {CANARY * 500 + str(n): n for n in range(9)}}, 422, None),
    "no text for a version": ({"json": {"traceback": "x", "environment": {CANARY: 2}}}, 422, "environment"),
    "unknown language": ({"json": {"traceback": "x", "lang": CANARY}}, 422, "lang"),
    "no version": ({"json": {"traceback": "x", "environment": {"torch": CANARY}}}, 422, "environment"),
    "half a character in a version": (
        {
            "content": b'{"traceback": "x", "environment": {"torch": "2.\\ud800"}}',
            "headers": {"content-type": "application/json"},
        },
        422,
        "environment",
    ),
    "limit": ({"json": {"traceback": CANARY, "limit": 0}}, 422, "limit"),
    "form": ({"files": {"file": CANARY.encode()}}, 415, "Content-Type"),
    "compressed": ({"content": b"x", "headers": {"content-encoding": "gzip"}}, 415, "Content-Encoding"),
    "lone surrogate": (
        {"content": b'{"traceback": "\\ud800"}', "headers": {"content-type": "application/json"}},
        422,
        "traceback",
    ),
}


@pytest.mark.parametrize(("request_", "status", "field"), BAD.values(), ids=BAD.keys())
def test_bad_input_gets_a_problem_that_names_the_field_and_echoes_nothing(
    client: TestClient,
    request_: dict[str, object],
    status: int,
    field: str | None,
) -> None:
    answer = client.request("POST", "/lookup", **request_)  # type: ignore[arg-type]  # one table of arguments for httpx
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert {"type", "title", "status", "detail"} <= set(problem)
    assert problem.get("field") == field
    assert CANARY not in answer.text
    assert len(answer.content) < 2048


@pytest.mark.parametrize(
    ("path", "status", "field"),
    [
        ("/entries/XYZ999", 404, "id"),
        (f"/entries/{CANARY}", 404, "id"),
        ("/entries/AMP003?lang=fr", 422, "lang"),
        ("/e/XYZ999", 404, "id"),
        ("/search?q=", 422, "q"),
        ("/search", 422, "q"),
        (f"/{CANARY}", 404, None),
    ],
)
def test_bad_addresses(client: TestClient, path: str, status: int, field: str | None) -> None:
    answer = client.get(path, follow_redirects=False)
    assert (answer.status_code, answer.json().get("field")) == (status, field)
    assert answer.headers["content-type"] == "application/problem+json"
    assert CANARY not in answer.text


def test_a_wrong_method_keeps_its_allow_header(client: TestClient) -> None:
    answer = client.get("/lookup")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_every_kind_of_error_is_declared() -> None:
    def kinds(error: type[ErrdexError]) -> Iterator[type[ErrdexError]]:
        for child in error.__subclasses__():
            yield child
            yield from kinds(child)

    from errdex.web.problems import RESPONSES

    web = [error for error in kinds(ErrdexError) if error.__module__ == "errdex.errors" and error.status < 500]
    assert {error.status for error in web} <= set(RESPONSES)


def test_without_an_index_the_server_says_so(tmp_path: Path) -> None:
    with TestClient(create_app(Settings(index=tmp_path / "none", site=tmp_path))) as bare:
        answer = bare.get("/readyz")
        assert (answer.status_code, answer.json()["type"]) == (503, "urn:errdex:problem:index-not-ready")
        assert bare.get("/livez").status_code == 200
        assert bare.post("/lookup", json={"traceback": "x"}).status_code == 503


def test_a_new_index_is_taken_up_and_a_broken_one_is_not(
    tmp_path: Path,
    catalog: Catalog,
    encoder: Encoder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("errdex.web.app._POLL_SECONDS", 3600)
    few = Catalog(entries={"AMP003": catalog.get("AMP003")}, digest="few")
    more = Catalog(entries={i: catalog.get(i) for i in ("AMP001", "AMP003")}, digest="more")
    root = tmp_path / "index"
    save_index(build_index(few, encoder), root)
    app = create_app(Settings(index=root, site=tmp_path / "none"))
    with TestClient(app) as running:
        live = app.state.live
        assert running.get("/readyz").json()["entries"] == 1
        version = save_index(build_index(more, encoder), root)
        assert live.reload()
        assert running.get("/readyz").json()["entries"] == 2
        (version / "entries.json").write_text("{}", encoding="utf-8")
        (root / "current").write_text("v-broken", encoding="utf-8")
        assert not live.reload()
        assert running.post("/lookup", json={"traceback": LOG}).json()["status"] == "match"


# In a process of its own: only a main thread without a running loop may set a signal's handler.
RELOAD = """
import asyncio, os, signal, sys
from pathlib import Path
from errdex.index import load_index, save_index
from errdex.settings import Settings
from errdex.web import app as module
from errdex.web.app import create_app

module._POLL_SECONDS = 3600
root, newer = map(Path, sys.argv[1:])
app = create_app(Settings(index=root, site=root / "none"))

def entries():
    return len(app.state.live.lookup.index.entries)

async def serve():
    async with app.router.lifespan_context(app):
        before = entries()
        save_index(load_index(newer), root)
        os.kill(os.getpid(), signal.SIGHUP)
        async with asyncio.timeout(30):
            while entries() == before:
                await asyncio.to_thread(lambda: None)  # gives the reload its turn
        print(before, entries())

asyncio.run(serve())
"""


def test_sighup_reloads_at_once(tmp_path: Path, catalog: Catalog, encoder: Encoder) -> None:
    few = Catalog(entries={"AMP003": catalog.get("AMP003")}, digest="few")
    more = Catalog(entries={i: catalog.get(i) for i in ("AMP001", "AMP003")}, digest="more")
    save_index(build_index(few, encoder), tmp_path / "index")
    save_index(build_index(more, encoder), tmp_path / "newer")
    done = subprocess.run(
        [sys.executable, "-c", RELOAD, str(tmp_path / "index"), str(tmp_path / "newer")],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT / "api")},
        check=False,
    )
    assert done.stdout.split() == ["1", "2"], done.stderr


@pytest.mark.parametrize(
    ("given", "kept"),
    [("job-7f3a.2026", True), ("hf_" + "aB3" * 10, False), ("short", False), ("a b" * 9, False)],
)
def test_an_id_is_kept_only_when_it_is_harmless(client: TestClient, given: str, kept: bool) -> None:
    assert (client.get("/livez", headers={"X-Request-ID": given}).headers["x-request-id"] == given) == kept
