"""One id per request, headers that every answer carries, and the last net for unexpected errors."""

import logging
import re
import uuid
from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from errdex.errors import InternalError
from errdex.web.problems import send_problem

log = logging.getLogger("errdex")
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


class RequestScope:
    """Outermost middleware. A caller's `X-Request-ID` is kept when it is harmless."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if _ID.fullmatch(given) else uuid.uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = _completed(message["headers"], request_id)
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except ClientDisconnect:
            log.info("request %s: the client has gone", request_id)
        except Exception as error:  # noqa: BLE001  the last net: whatever it is, the client gets a problem document
            # The type only: a message may hold a piece of somebody's log.
            log.error("request %s: unexpected %s", request_id, type(error).__name__)
            if not started:
                detail = "The request id finds it in the server's log."
                await send_problem(send_with_headers, InternalError(detail), request_id)


def _completed(given: Iterable[tuple[bytes, bytes]], request_id: str) -> list[tuple[bytes, bytes]]:
    """The headers of an answer, and what every answer carries."""
    headers = [pair for pair in given if pair[0] != b"x-request-id"]
    named = dict(headers)
    headers.append((b"x-request-id", request_id.encode()))
    headers += [pair for pair in _ALWAYS if pair[0] not in named]
    if named.get(b"content-type", b"").startswith(_DATA_TYPES):
        headers += [pair for pair in _DATA if pair[0] not in named]
    return headers
