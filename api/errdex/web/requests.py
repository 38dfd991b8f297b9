"""One id per request, headers that every answer carries, and the net for unexpected errors."""

import logging
import re
import time
import uuid
from collections.abc import Iterable
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from errdex.errors import InternalError
from errdex.journal import REQUEST_ID
from errdex.redact import redact
from errdex.web.problems import send_problem

log = logging.getLogger("errdex")
access = logging.getLogger("errdex.access")
_LONGEST_PATH = 120
_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
_ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
)
# What is no page needs nothing: a browser that shows it all the same may run and load nothing. The rest has its own policy.
_DATA = (
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-site"),
)
_DATA_TYPES = (b"application/json", b"application/problem+json", b"text/plain", b"text/markdown")


class Net:
    """Middleware that answers what nobody expected with a problem, and says in the log what it was."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def observed(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, observed)
        except ClientDisconnect:
            raise
        except Exception as error:
            # The type only: a message may hold a piece of somebody's log.
            log.error("unexpected error", exc_info=error)
            if not started:
                await send_problem(scope, send, InternalError("The request id finds it in the server's log."))


class RequestScope:
    """Outermost middleware. A caller's `X-Request-ID` is kept when it is harmless."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = Net(app)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        # It is logged and stored with votes: a key sent by mistake must not be.
        request_id = given if _ID.fullmatch(given) and not redact(given).removed else uuid.uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id
        REQUEST_ID.set(request_id)
        began = time.perf_counter()
        status = size = 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.body":
                size += len(message.get("body", b""))
            elif message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = _completed(message["headers"], request_id)
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except ClientDisconnect:
            log.info("the client has gone")
        finally:
            if access.isEnabledFor(logging.INFO):
                access.info("request", extra={"fields": _line(scope, status, size, time.perf_counter() - began)})


def _line(scope: Scope, status: int, size: int, seconds: float) -> dict[str, Any]:
    """What the log says of a request: nothing that the caller chose, but a path that is no endpoint's, redacted and cut."""
    template = getattr(scope.get("route"), "path", None)
    line: dict[str, Any] = {
        "method": scope["method"],
        "path": template or redact(scope["path"]).text[:_LONGEST_PATH],
        "status": status,
        "ms": round(1000 * seconds, 2),
        "bytes": size,
    }
    line.update(scope["state"].get("logged", {}))
    return line


def _completed(given: Iterable[tuple[bytes, bytes]], request_id: str) -> list[tuple[bytes, bytes]]:
    """The headers of an answer, and what every answer carries."""
    headers = [pair for pair in given if pair[0] != b"x-request-id"]
    named = dict(headers)
    headers.append((b"x-request-id", request_id.encode()))
    headers += [pair for pair in _ALWAYS if pair[0] not in named]
    if named.get(b"content-type", b"").startswith(_DATA_TYPES):
        headers += [pair for pair in _DATA if pair[0] not in named]
    return headers
