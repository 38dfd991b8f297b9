"""One id per request, headers that every answer carries, and the last net for unexpected errors."""

import logging
import re
import time
import uuid
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from errdex.journal import REQUEST_ID
from errdex.models import Problem
from errdex.redact import redact

log = logging.getLogger("errdex")
access = logging.getLogger("errdex.access")
_LONGEST_PATH = 120
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
        REQUEST_ID.set(request_id)
        began = time.perf_counter()
        started = False
        status = size = 0

        async def send_with_headers(message: Message) -> None:
            nonlocal started, status, size
            if message["type"] == "http.response.body":
                size += len(message.get("body", b""))
            elif message["type"] == "http.response.start":
                started = True
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = request_id
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except Exception as error:
            # The type only: a message may hold a piece of somebody's log.
            log.error("unexpected error", exc_info=error)
            if not started:
                await _send_problem(send_with_headers, request_id)
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
