import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from errdex import recorder as recorder_module
from errdex.keys import Key, hashed, new_secret, utc_today, write_keys
from errdex.recorder import Recorder
from errdex.settings import Settings
from errdex.store import today
from errdex.web.app import create_app

KNOWN = "ValueError: Attempting to unscale FP16 gradients."
CANARY = "canary-7f3a9@example.org"
UNKNOWN = f"levers.LeverError: the lever of {CANARY} is stuck at 12"


def curator(settings: Settings, folder: Path) -> TestClient:
    """A client whose key may read what is stored."""
    secret = new_secret()
    row = {"name": "curator", "role": "curate", "sha256": hashed(secret).hex(), "created": utc_today()}
    write_keys(folder / "keys.toml", [Key.model_validate(row)])
    chosen = settings.model_copy(update={"keys": folder / "keys.toml", "model": "none"})
    return TestClient(create_app(chosen), headers={"X-API-Key": secret})


@pytest.fixture
def client(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr(recorder_module, "_GATHER_SECONDS", 0.0)
    chosen = settings.model_copy(update={"store": f"sqlite:///{tmp_path / 'errdex.sqlite3'}"})
    with curator(chosen, tmp_path) as running:
        yield running


def recorder_of(client: TestClient) -> Recorder:
    recorder = client.app.state.recorder  # type: ignore[attr-defined]  # Starlette's client calls it any ASGI callable
    assert isinstance(recorder, Recorder)
    assert recorder.flush(60)
    return recorder


def look_up(client: TestClient, text: str) -> str:
    return str(client.post("/lookup", json={"traceback": text}).json()["request_id"])


def test_what_was_not_answered_is_listed_and_shown(client: TestClient) -> None:
    for _ in range(2):
        look_up(client, UNKNOWN)
    client.post("/lookup/batch", json={"items": [{"traceback": UNKNOWN}, {"traceback": KNOWN}]})
    recorder_of(client)
    (row,) = client.get("/unanswered").json()
    assert (row["type"], row["message"], row["count"]) == ("LeverError", "the lever of <email> is stuck at <n>", 3)
    whole = client.get(f"/unanswered/{row['id']}").json()
    assert whole["samples"] == ["levers.LeverError: the lever of <email> is stuck at 12"]
    assert whole["days"] == {str(today()): 3}
    assert recorder_of(client).store().lookups()[today(), "match"] == 1


def test_the_list_takes_a_limit_a_day_and_words(client: TestClient) -> None:
    look_up(client, UNKNOWN)
    look_up(client, "cogs.CogError: no teeth")
    recorder_of(client)
    assert len(client.get("/unanswered?limit=1").json()) == 1
    assert [row["type"] for row in client.get("/unanswered?q=teeth").json()] == ["CogError"]
    assert client.get("/unanswered", params={"since": str(today() + timedelta(days=1))}).json() == []


def test_nothing_that_was_asked_is_in_the_file_unredacted(client: TestClient, tmp_path: Path) -> None:
    look_up(client, UNKNOWN)
    client.post("/feedback", json={"entry": "AMP003", "right": True, "comment": f"ask {CANARY}"})
    recorder_of(client)
    for path in tmp_path.glob("errdex.sqlite3*"):
        assert b"canary" not in path.read_bytes()


def test_a_vote_is_taken_and_a_later_one_takes_its_place(client: TestClient) -> None:
    request_id = look_up(client, KNOWN)
    for right in (True, False):
        said = {"request_id": request_id, "entry": "unscale-fp16-gradients", "right": right, "comment": "too short"}
        answer = client.post("/feedback", json=said)
        assert (answer.status_code, answer.content) == (204, b"")
    client.post("/feedback", json={"entry": "AMP003", "right": True})
    recorder_of(client)
    wanted = {"entry": "AMP003", "right": 1, "wrong": 1, "verified": 1, "comments": ["too short"]}
    assert client.get("/feedback").json() == client.get("/feedback?entry=amp003").json() == [wanted]


BAD = {
    "unknown entry": ({"entry": "XYZ999", "right": True}, 404, "id"),
    "no verdict": ({"entry": "AMP003"}, 422, "right"),
    "long comment": ({"entry": "AMP003", "right": True, "comment": "x" * 501}, 422, "comment"),
    "odd request id": ({"entry": "AMP003", "right": True, "request_id": f"{CANARY} "}, 422, "request_id"),
    "unknown key": ({"entry": "AMP003", "right": True, "extra": CANARY}, 422, None),
    "no object": ([CANARY], 422, None),
}


@pytest.mark.parametrize(("body", "status", "field"), BAD.values(), ids=BAD.keys())
def test_feedback_that_cannot_be_used_is_refused(body: object, status: int, field: str | None, client: TestClient) -> None:
    answer = client.post("/feedback", json=body)
    assert (answer.status_code, answer.json().get("field")) == (status, field)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/unanswered/7", 404),
        ("/unanswered/x", 422),
        ("/unanswered?limit=0", 422),
        ("/unanswered?since=y", 422),
        ("/feedback?entry=X", 404),
    ],
)
def test_bad_addresses_are_problems(path: str, status: int, client: TestClient) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")


def test_where_nothing_is_stored_it_says_so_and_lookups_go_on(settings: Settings, tmp_path: Path) -> None:
    with curator(settings.model_copy(update={"store": "none"}), tmp_path) as bare:
        assert bare.post("/lookup", json={"traceback": KNOWN}).json()["status"] == "match"
        for answer in (
            bare.get("/unanswered"),
            bare.get("/feedback"),
            bare.post("/feedback", json={"entry": "AMP003", "right": True}),
        ):
            assert (answer.status_code, answer.json()["type"]) == (503, "urn:errdex:problem:store")


def test_a_store_that_cannot_be_opened_costs_no_lookup(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    broken = settings.model_copy(update={"store": f"sqlite:///{tmp_path}/file/errdex.sqlite3", "model": "none"})
    with curator(broken, tmp_path) as running:
        assert running.post("/lookup", json={"traceback": UNKNOWN}).status_code == 200
        assert running.get("/unanswered").status_code == 503


def test_the_schema_shows_the_body_and_refers_only_to_what_it_defines(client: TestClient) -> None:
    schema = client.get("/openapi.json").json()
    body = schema["paths"]["/feedback"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert {"entry", "right", "request_id", "comment"} == set(body["properties"])
    wanted = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(schema)))
    assert wanted <= set(schema["components"]["schemas"])
