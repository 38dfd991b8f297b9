"""The server's log: one line per event, in which no caller's text stands and no control character passes.

What errdex logs are fixed sentences with fields. Messages of libraries are cut to their first line and redacted. Of an
exception the type and the place in the code are written, never the message: it may hold a piece of somebody's log.
"""

import json
import logging
import sys
from collections.abc import MutableMapping
from contextvars import ContextVar
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from errdex.redact import redact

REQUEST_ID: ContextVar[str | None] = ContextVar("request_id", default=None)
_OURS = "errdex"
_LONGEST = 300  # characters of a library's message, or of a field
_UVICORN = ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi")

_JSON = json.JSONEncoder(ensure_ascii=False, default=repr)  # made once: `json.dumps` would make one for every line

Event = MutableMapping[str, Any]


def printable(text: str) -> str:
    r"""A text with every control, direction and line-separating character written out as `\uXXXX`."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def _place(traceback: TracebackType | None) -> str | None:
    while traceback and traceback.tb_next:
        traceback = traceback.tb_next
    return f"{Path(traceback.tb_frame.f_code.co_filename).name}:{traceback.tb_lineno}" if traceback else None


def _foreign(message: str) -> str:
    return redact(message.partition("\n")[0]).text[:_LONGEST]


def event_of(record: logging.LogRecord) -> Event:
    """What is written of a log record: its fields (`extra={"fields": …}`) after the few that every line has."""
    ours = record.name.partition(".")[0] == _OURS
    try:
        message = record.getMessage()
    except (TypeError, ValueError):  # arguments that do not fit the message
        message = str(record.msg)
    event: Event = {
        "level": record.levelname.lower(),
        "logger": record.name,
        "event": message if ours else _foreign(message),
    }
    request_id = REQUEST_ID.get()
    if request_id:
        event["request_id"] = request_id
    event.update(getattr(record, "fields", {}))
    if record.exc_info and record.exc_info[0]:
        event["exception"] = record.exc_info[0].__name__
        event["at"] = _place(record.exc_info[2])
    for name, value in event.items():
        if isinstance(value, str):
            event[name] = printable(value[: 4 * _LONGEST])
    return event


class _Lines(logging.Formatter):
    """Formats records by structlog's renderers; nothing of the record itself is added behind the line."""

    def __init__(self, *, as_json: bool, colours: bool) -> None:
        super().__init__()
        import structlog

        self._stamp = structlog.processors.TimeStamper(fmt="iso", utc=True)
        self._render = (
            structlog.processors.JSONRenderer(lambda event, **_: _JSON.encode(event))
            if as_json
            else structlog.dev.ConsoleRenderer(colors=colours)
        )

    def format(self, record: logging.LogRecord) -> str:
        stamped = self._stamp(None, record.levelname, event_of(record))
        return str(self._render(None, record.levelname, stamped))


def start_journal(log_format: str, level: int = logging.INFO, stream: TextIO | None = None) -> None:
    """Send everything that any library logs to one stream, a line per event; called once by the process that serves.

    Args:
        log_format: `json`, `console`, or `auto`: lines for people on a terminal, else JSON.
        level: what is less important is not written.
        stream: by default the standard error.
    """
    chosen = stream or sys.stderr
    handler = logging.StreamHandler(chosen)
    terminal = chosen.isatty()
    as_json = log_format == "json" or (log_format == "auto" and not terminal)
    handler.setFormatter(_Lines(as_json=as_json, colours=terminal))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    for name in _UVICORN:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], True
    logging.getLogger("uvicorn.access").disabled = True  # its lines hold the query
    # What no line holds need not be found out for each.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging.captureWarnings(True)
    logging.raiseExceptions = False  # a handler that fails would print the record, arguments and all
