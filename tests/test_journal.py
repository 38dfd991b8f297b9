import io
import json
import logging
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from errdex.journal import event_of, printable, start_journal
from errdex.settings import Settings
from errdex.web.app import create_app

HOSTILE = {
    "colour": "\x1b[31mred\x1b[0m",
    "line ends": "a\r\nb\nc",
    "zero": "a\x00b",
    "direction": "a\u202eb\u2066c",
    "separators": "a\u2028b\u2029c\x85d",
    "half a character": "a\ud800b",
    "backspace": "a\x08\x7f\x9bb",
}
Started = Callable[[str], io.StringIO]


@pytest.fixture
def started(logging_restored: None) -> Started:
    """Begins a journal into memory."""

    def start(log_format: str) -> io.StringIO:
        stream = io.StringIO()
        start_journal(log_format, logging.DEBUG, stream)
        return stream

    return start


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("log_format", ["json", "console"])
def test_one_event_is_one_line_without_control_characters(started: Started, log_format: str, text: str) -> None:
    out = started(log_format)
    logging.getLogger("errdex").warning("said %s", text, extra={"fields": {"value": text}})
    logging.getLogger("library").warning("%s", text)
    written = out.getvalue()
    assert written.count("\n") == 2
    assert all(line.isprintable() for line in written.splitlines())


def test_what_can_be_read_stays() -> None:
    assert printable("显存不足 (café) <ok>") == "显存不足 (café) <ok>"
    assert printable("a\x1b[1m") == "a\\u001b[1m"


def test_by_itself_it_writes_json_where_no_terminal_is(started: Started) -> None:
    assert json.loads(_written(started("auto")))["event"] == "loaded"


def test_by_itself_it_writes_for_people_on_a_terminal(logging_restored: None) -> None:
    stream = io.StringIO()
    stream.isatty = lambda: True  # type: ignore[method-assign]
    start_journal("auto", stream=stream)
    assert "\x1b[" in _written(stream)


def _written(stream: io.StringIO) -> str:
    logging.getLogger("errdex").info("loaded")
    return stream.getvalue()


def test_json_lines_hold_the_fields(started: Started) -> None:
    out = started("json")
    logging.getLogger("errdex").info("loaded", extra={"fields": {"entries": 3}})
    line = json.loads(out.getvalue())
    assert (line["event"], line["level"], line["entries"]) == ("loaded", "info", 3)
    assert line["timestamp"].endswith("Z")


def test_of_an_exception_the_type_and_the_place_are_written(started: Started) -> None:
    out = started("json")
    try:
        int("my private log")
    except ValueError as error:
        logging.getLogger("errdex").error("unexpected", exc_info=error)
    line = json.loads(out.getvalue())
    assert line["exception"] == "ValueError"
    assert line["at"].startswith("test_journal.py:")
    assert "private" not in out.getvalue()


def test_a_library_says_one_line_without_secrets(started: Started) -> None:
    out = started("json")
    logging.getLogger("asyncio").error("Task failed for bob@corp.com\nfuture: <ValueError('my private log')>")
    assert json.loads(out.getvalue())["event"] == "Task failed for <email>"


def test_arguments_that_do_not_fit_are_not_an_error() -> None:
    record = logging.LogRecord("errdex", logging.INFO, "", 1, "%d of %d", ("x",), None)
    assert event_of(record)["event"] == "%d of %d"


def test_each_request_is_one_line(started: Started, settings: Settings) -> None:
    with TestClient(create_app(settings.model_copy(update={"model": "none"}))) as client:
        out = started("json")
        client.post(
            "/lookup?who=me", content=b"ValueError: Attempting to unscale FP16 gradients.", headers={"x-request-id": "mine-0001"}
        )
        client.get("/entries/AMP003?lang=en")
        client.get("/no/such/bob@corp.com")
    lines = [json.loads(line) for line in out.getvalue().splitlines() if '"errdex.access"' in line]
    assert [(line["method"], line["path"], line["status"]) for line in lines] == [
        ("POST", "/lookup", 200),
        ("GET", "/entries/{entry_id}", 200),
        ("GET", "/no/such/<email>", 404),
    ]
    assert {"request_id": "mine-0001", "answer": "match", "entry": "AMP003", "stage": "signature"}.items() <= lines[0].items()
    assert lines[0]["bytes"] > 100
    assert [line for line in out.getvalue().splitlines() if "who=me" in line and "httpx" not in line] == []  # the client's own


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_nothing_of_a_request_breaks_a_line(started: Started, settings: Settings, text: str) -> None:
    out = started("json")
    app = create_app(settings.model_copy(update={"model": "none", "site": Path("none")}))
    with TestClient(app) as client:
        client.get("/search", params={"q": text.encode("utf-8", "replace")})
        client.request(
            "GET", "http://testserver/%1B%5B31m%0D%0A%00%E2%80%AE", headers={"x-request-id": "a\tb", "user-agent": "\x1b[1m"}
        )
    lines = out.getvalue().splitlines()
    assert [line for line in lines if not line.isprintable()] == []
    assert all(json.loads(line)["event"] for line in lines)
