"""Watches every request from the outside: counts it, and traces it where traces are wanted."""

from time import perf_counter
from typing import Annotated

from fastapi import FastAPI, Header, Response
from starlette.requests import ClientDisconnect
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from errdex.web.exposition import Sources, scrape
from errdex.web.tallies import Tallies
from errdex.web.tracing import Tracing, open_tracing, wanted

_METHODS = frozenset({"GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"})
_GONE = 499  # the client went away before there was an answer; nginx's number for it
_PARENT = (b"traceparent", b"tracestate")
_KINDS = {400: "bad-request", _GONE: "client-gone"}  # without a problem document: what CORS refuses, and who went away


def route_of(scope: Scope) -> str:
    """The template of the route that served, never the address itself: one value for all files, one for whatever is unknown."""
    route = scope.get("route")
    if route is not None:
        return str(getattr(route, "path_format", "other"))
    return "/{file}" if isinstance(scope.get("endpoint"), StaticFiles) else "other"


def kind_of(status: int, scope: Scope) -> str:
    """The kind of problem that an answer is."""
    named = scope.get("state", {}).get("problem")
    return str(named) if named else _KINDS.get(status, "internal" if status >= 500 else "other")


class Watch:
    """What an application's telemetry holds: its own tallies, and its traces once the server has started."""

    def __init__(self) -> None:
        self.tallies = Tallies()
        self._tracing: Tracing | None = None

    def served(self, scope: Scope, status: int, seconds: float) -> None:
        """A request has its answer, or nobody waits for it any more."""
        method = scope["method"] if scope["method"] in _METHODS else "_OTHER"
        route = route_of(scope)
        self.tallies.served(method, route, status, seconds)
        if status >= 400:
            self.tallies.refused(kind_of(status, scope))
        if self._tracing is not None:
            state = scope.get("state", {})
            attributes = {
                "http.request.method": method,
                "http.route": route,
                "http.response.status_code": status,
                "errdex.request_id": state.get("request_id", ""),
            }
            parent = {name.decode(): value.decode("latin-1") for name, value in scope["headers"] if name in _PARENT}
            self._tracing.record(attributes, parent, seconds, state.get("timings"))

    def open(self) -> None:
        """Begin to trace if the environment asks for it; blocks while libraries are loaded."""
        self._tracing = open_tracing() if wanted() else None

    def close(self) -> None:
        """Send the last traces; blocks while they are sent."""
        tracing, self._tracing = self._tracing, None
        if tracing is not None:
            tracing.close()


class Telemetry:
    """Middleware just inside the request's scope, so that what other layers refuse is counted, too."""

    def __init__(self, app: ASGIApp, watch: Watch) -> None:
        self._app = app
        self._watch = watch

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 0

        async def observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        tallies = self._watch.tallies
        tallies.active += 1
        started = perf_counter()
        try:
            await self._app(scope, receive, observed)
        except ClientDisconnect:
            status = status or _GONE
            raise
        except Exception:
            status = status or 500
            raise
        finally:
            tallies.active -= 1
            self._watch.served(scope, status or _GONE, perf_counter() - started)


def add_metrics(app: FastAPI, sources: Sources) -> None:
    """Register the endpoint."""
    numbers = scrape(sources)

    @app.get("/metrics", response_class=Response, tags=["health"], responses={200: {"content": {"text/plain": {}}}})
    def metrics(accept: Annotated[str, Header(include_in_schema=False)] = "") -> Response:
        """What the server counts, for Prometheus."""
        text, content_type = numbers(accept)
        return Response(text, media_type=content_type)
