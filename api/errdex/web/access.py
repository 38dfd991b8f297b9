"""Who may ask for what, and how often: API keys, the roles that paths need, and rates."""

from typing import Any, NamedTuple

from fastapi import FastAPI
from starlette._utils import get_route_path  # private, but what the router goes by: another reading could let a path slip
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from errdex.errors import ErrdexError, ForbiddenError, UnknownKeyError
from errdex.keys import Key, Role, utc_today
from errdex.web.gate import first_segment
from errdex.web.keyfile import KeyFile
from errdex.web.problems import send_problem
from errdex.web.rates import Rates


class Rule(NamedTuple):
    """What a path needs.

    Attributes:
        role: role needed on any server.
        role_when_closed: role needed where reading is not open.
        limited: whether requests count against the rate.
    """

    role: Role | None
    role_when_closed: Role | None
    limited: bool


PUBLIC = Rule(None, None, limited=False)
WATCHING = Rule(None, Role.READ, limited=False)
READING = Rule(None, Role.READ, limited=True)
CURATING = Rule(Role.CURATE, Role.CURATE, limited=True)

# By the first part of a path; everything else is the site, which is public.
RULES = {
    "docs": PUBLIC,
    "e": READING,
    "entries": READING,
    "feedback": CURATING,
    "livez": PUBLIC,
    "lookup": READING,
    "metrics": WATCHING,
    "openapi.json": PUBLIC,
    "readyz": PUBLIC,
    "redoc": PUBLIC,
    "search": READING,
    "static-offline-docs": PUBLIC,
    "unanswered": CURATING,
}
# Where sending needs less than reading.
RULES_OF_POST = {"feedback": READING}


def rule_of(path: str, method: str) -> Rule:
    """What a path needs."""
    first = first_segment(path)
    if method == "POST" and first in RULES_OF_POST:
        return RULES_OF_POST[first]
    return RULES.get(first, PUBLIC)


_SCHEMES = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
}


def document_access(app: FastAPI, *, is_open: bool) -> None:
    """Say in the application's OpenAPI document which endpoints need a key, and which take one."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        document = plain()
        document["components"]["securitySchemes"] = _SCHEMES
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                rule = rule_of(path, method.upper())
                if rule is not PUBLIC:
                    needed = rule.role if is_open else rule.role_when_closed
                    operation["security"] = [*([] if needed else [{}]), *({name: []} for name in _SCHEMES)]
        return document

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's documented way to change the document


def credential(scope: Scope) -> str:
    """The key that a request shows, in `X-API-Key` or as a bearer token; empty for none."""
    bearer = b""
    for name, value in scope["headers"]:
        if name == b"x-api-key":
            return bytes(value).decode("latin-1").strip()
        if name == b"authorization" and value[:7].lower() == b"bearer ":
            bearer = value[7:]
    return bearer.decode("latin-1").strip()


class Access:
    """Middleware that refuses who may not ask, or asks too often; `scope["state"]["key"]` is the key shown, or None.

    Args:
        keys: the keys of the server.
        rates: how often each client may ask.
        is_open: whether lookups and entries need no key.
    """

    def __init__(self, app: ASGIApp, keys: KeyFile, rates: Rates, *, is_open: bool) -> None:
        self._app = app
        self._keys = keys
        self._rates = rates
        self._open = is_open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] != "http" or (rule := rule_of(get_route_path(scope), scope["method"])) is PUBLIC:
            await self._app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        key: Key | None = None
        refusal: ErrdexError | None = None
        try:
            key = self._shown(scope)
            self._check(key, rule.role if self._open else rule.role_when_closed)
        except ErrdexError as error:
            refusal = error
        state["key"] = key
        if rule.limited and (visit := await self._rates.visit(scope, key)) is not None:
            state["visit"] = visit
            inner = send

            async def send_with_rate(message: Message) -> None:
                if message["type"] == "http.response.start":
                    visit.add_headers(message)
                await inner(message)

            send = send_with_rate
            if not visit.allowed:
                refusal = visit.refusal()
        if refusal is None:
            await self._app(scope, receive, send)
            return
        challenge = {"WWW-Authenticate": 'Bearer realm="errdex"'} if refusal.status == 401 else None
        await send_problem(scope, send, refusal, challenge)

    def _shown(self, scope: Scope) -> Key | None:
        # A server without keys leaves the headers alone: they may be meant for a proxy in front of it.
        given = credential(scope) if self._keys.path else ""
        if not given:
            return None
        return self._keys.ring.find(given, utc_today())

    def _check(self, key: Key | None, needed: Role | None) -> None:
        if needed is None or (key is not None and key.role.allows(needed)):
            return
        if key is not None:
            raise ForbiddenError(f"This needs a key with the role {needed}; this one has {key.role}.")
        if self._keys.path is None:
            raise ForbiddenError(
                f"This needs a key, and this server has none. Its operator sets ERRDEX_KEYS to a file and runs "
                f"`errdex keys add NAME --role {needed}`.",
            )
        raise UnknownKeyError("Send a key in the header `Authorization: Bearer …` or `X-API-Key`.")
