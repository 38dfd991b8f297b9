"""Which host names the server answers to, and which other origins' pages may ask it."""

import re
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from errdex.errors import BadRequestError, InputError, UnknownHostError
from errdex.settings import Settings
from errdex.web.problems import send_problem

_HOST = re.compile(rb"(?P<name>\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{0,253})(?::[0-9]{0,5})?")
_ALWAYS = ("/livez", "/readyz")  # whoever watches the server asks by its address
_EXPOSED = ("X-Request-ID", "RateLimit", "RateLimit-Policy", "Retry-After", "Content-Language")


class AllowedHosts:
    """Refuses a request without one clear host name, or for a host that is not the server's.

    Args:
        app: what comes after.
        hosts: names without ports; `*.example.org` stands for every name below it, `*` for any.
    """

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...]) -> None:
        self._app = app
        names = [host.lower().encode() for host in hosts]
        self._any = b"*" in names or not names
        self._exact = frozenset(name for name in names if not name.startswith(b"*"))
        self._below = tuple(name[1:] for name in names if name.startswith(b"*."))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] == "http" and (refusal := self._refusal(scope)) is not None:
            await send_problem(scope, send, refusal, {"Connection": "close"})
            return
        await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> InputError | None:
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 and (hosts or scope.get("http_version") != "1.0"):
            return BadRequestError("Send one `Host` header.", field="Host")
        match = _HOST.fullmatch(hosts[0]) if hosts else None
        if hosts and match is None:
            return BadRequestError("The `Host` header is no host name.", field="Host")
        if self._any or scope["path"] in _ALWAYS:
            return None
        name = match["name"].lower() if match else b""
        if name in self._exact or name.endswith(self._below):
            return None
        return UnknownHostError("Ask it by one of the names in its ERRDEX_HOSTS.", field="Host")


def cross_origin(settings: Settings) -> dict[str, Any]:
    """What starlette's `CORSMiddleware` is told: the listed origins may ask, without cookies.

    Args:
        settings: `origins`.
    """
    return {
        "allow_origins": settings.origin_list,
        "allow_methods": ("GET", "POST"),
        "allow_headers": ("Authorization", "X-API-Key", "X-Request-ID"),
        "expose_headers": _EXPOSED,
        "max_age": 3600,
    }
