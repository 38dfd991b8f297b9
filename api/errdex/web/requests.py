"""One id per request, headers that every answer carries, and the last net for unexpected errors."""

import logging
import re
import uuid

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from errdex.models import Problem

log = logging.getLogger("errdex")
_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
_HEADERS = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY"}


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
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = request_id
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except Exception as error:  # noqa: BLE001  the last net: whatever it is, the client gets a problem document
            # The type only: a message may hold a piece of somebody's log.
            log.error("request %s: unexpected %s", request_id, type(error).__name__)
            if not started:
                await _send_problem(send_with_headers, request_id)


async def _send_problem(send: Send, request_id: str) -> None:
    problem = Problem(
        type="urn:errdex:problem:internal",
        title="errdex failed",
        status=500,
        detail="This is a fault of errdex; the request id finds it in the server's log.",
        request_id=request_id,
    )
    body = problem.model_dump_json(exclude_none=True).encode()
    await send({"type": "http.response.start", "status": 500, "headers": [(b"content-type", b"application/problem+json")]})
    await send({"type": "http.response.body", "body": body})
