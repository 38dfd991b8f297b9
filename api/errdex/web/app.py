"""The HTTP application: thin endpoints over one lookup, and the site."""

import asyncio
import contextlib
import logging
import signal
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse, RedirectResponse
from fastapi_offline import FastAPIOffline
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from errdex import __version__
from errdex.entry import Lang
from errdex.language import accepted_lang, parse_lang
from errdex.lookup import Lookup
from errdex.models import Answer, EntryOut, EntrySummary, LookupRequest
from errdex.record import entry_record, entry_summary
from errdex.render import to_markdown, to_text
from errdex.settings import Settings
from errdex.web import problems
from errdex.web.body import lookup_request, media_type, parse_json, read_body
from errdex.web.live import Live
from errdex.web.requests import RequestScope
from errdex.web.site import SiteFiles

log = logging.getLogger("errdex")

LangQuery = Annotated[str | None, Query(description="en, zh-CN or zh-TW; by default `Accept-Language`.")]
_LOOKUP_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": LookupRequest.model_json_schema()},
            "text/plain": {"schema": {"type": "string", "description": "The log itself: `curl --data-binary @train.log`."}},
        },
    },
    "responses": {
        "200": {"content": {kind: {"schema": {"type": "string"}} for kind in ("text/markdown", "text/plain")}},
    },
}


class BatchRequest(BaseModel):
    """Body of `POST /lookup/batch`."""

    model_config = ConfigDict(extra="forbid")

    items: list[LookupRequest] = Field(min_length=1, max_length=100)


def _batch_schema() -> dict[str, Any]:
    """The schema of the batch, whole: FastAPI keeps no definition of a body that it does not read itself."""
    schema = BatchRequest.model_json_schema()
    schema["properties"]["items"]["items"] = schema.pop("$defs")["LookupRequest"]
    return schema


class BatchAnswer(BaseModel):
    """Answers in the order of the items."""

    answers: list[Answer]


class SearchResult(EntrySummary):
    """One entry that fits a query."""

    confidence: float


def _language(lang: str | None, request: Request) -> Lang:
    return parse_lang(lang) if lang else accepted_lang(request.headers.get("accept-language"))


def _wanted(accept: str) -> str:
    """The first of the three forms that the client names; JSON when it does not care."""
    places = {kind: accept.find(kind) for kind in ("application/json", "text/markdown", "text/plain")}
    named = {kind: place for kind, place in places.items() if place >= 0}
    return min(named, key=lambda kind: named[kind]) if named else "application/json"


def _answer(lookup: Lookup, wanted: LookupRequest, request: Request) -> Answer:
    return lookup.answer(
        wanted.traceback,
        lang=parse_lang(wanted.lang) if wanted.lang else None,
        limit=wanted.limit,
        environment=wanted.environment,
        fallback=accepted_lang(request.headers.get("accept-language")),
        request_id=request.state.request_id,
    )


def _add_lookup(app: FastAPI, live: Live, settings: Settings) -> None:
    @app.post("/lookup", response_model=Answer, responses=problems.RESPONSES, openapi_extra=_LOOKUP_BODY, tags=["lookup"])
    async def lookup(request: Request) -> Response:
        """Look up a traceback, a log, a message or a question; as JSON or as plain text."""
        body = await read_body(request, settings.max_body)
        wanted = lookup_request(body, media_type(request))
        answer = await run_in_threadpool(_answer, live.lookup, wanted, request)
        headers = {"Content-Language": answer.lang, "Vary": "Accept, Accept-Language"}
        match _wanted(request.headers.get("accept", "")):
            case "text/markdown":
                return Response(to_markdown(answer), media_type="text/markdown", headers=headers)
            case "text/plain":
                return PlainTextResponse(to_text(answer), headers=headers)
            case _:
                return Response(answer.model_dump_json(), media_type="application/json", headers=headers)

    @app.post(
        "/lookup/batch",
        response_model=BatchAnswer,
        responses=problems.RESPONSES,
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": _batch_schema()}},
            },
        },
        tags=["lookup"],
    )
    async def batch(request: Request) -> BatchAnswer:
        """Look up to 100 texts; the body limit holds for all together."""
        wanted = BatchRequest.model_validate(parse_json(await read_body(request, settings.max_body)))
        current = live.lookup
        return BatchAnswer(answers=[await run_in_threadpool(_answer, current, item, request) for item in wanted.items])


def _add_entries(app: FastAPI, live: Live) -> None:
    @app.get("/entries", responses=problems.RESPONSES, tags=["entries"])
    def entries(request: Request, lang: LangQuery = None) -> list[EntrySummary]:
        """All entries, by id."""
        lookup, language = live.lookup, _language(lang, request)
        return [entry_summary(entry, language, lookup.links) for entry in lookup.index.entries]

    @app.get("/entries/{entry_id}", responses=problems.RESPONSES, tags=["entries"])
    def entry(request: Request, entry_id: str, lang: LangQuery = None) -> EntryOut:
        """One entry, whole, in one language."""
        lookup, language = live.lookup, _language(lang, request)
        return entry_record(lookup.index.catalog.get(entry_id), language, lookup.links)

    @app.get("/search", responses=problems.RESPONSES, tags=["entries"])
    def search(
        request: Request,
        q: Annotated[str, Query(min_length=1, max_length=2000, description="Words in any of the three languages.")],
        lang: LangQuery = None,
        limit: Annotated[int, Query(ge=1, le=50)] = 10,
    ) -> list[SearchResult]:
        """Entries for some words, best first; unlike `POST /lookup` it always lists what comes nearest."""
        lookup, language = live.lookup, _language(lang, request)
        return [
            SearchResult(
                **entry_summary(item.candidate.entry, language, lookup.links).model_dump(),
                confidence=round(item.confidence, 4),
            )
            for item in lookup.search(q)[:limit]
        ]

    # With the slash, too: that is how a static host serves it, and the site below has a page there.
    @app.get("/e/{entry_id}/", include_in_schema=False)
    @app.get("/e/{entry_id}", status_code=307, responses=problems.RESPONSES, tags=["entries"])
    def permanent(request: Request, entry_id: str) -> RedirectResponse:
        """The permanent address of an entry: its page in the reader's language."""
        lookup = live.lookup
        found = lookup.index.catalog.get(entry_id)
        language = accepted_lang(request.headers.get("accept-language"))
        return RedirectResponse(f"/{language}/{found.path}/", headers={"Vary": "Accept-Language"})


def _add_health(app: FastAPI, live: Live) -> None:
    @app.get("/livez", tags=["health"])
    def livez() -> dict[str, str]:
        """The process answers."""
        return {"status": "ok", "version": __version__}

    @app.get("/readyz", responses=problems.RESPONSES, tags=["health"])
    def readyz() -> JSONResponse:
        """The index and the model are loaded."""
        manifest = live.lookup.index.manifest
        return JSONResponse({"status": "ok", "index": f"sha256:{manifest.content}", "entries": manifest.entries})


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application; the index is loaded when it starts, and again when a new one is there (or on SIGHUP)."""
    chosen = settings or Settings()
    live = Live(chosen)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await asyncio.to_thread(live.reload)
        loop = asyncio.get_running_loop()
        with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
            # Windows has no SIGHUP, and a server in a thread may not set handlers; polling still works there.
            loop.add_signal_handler(signal.SIGHUP, lambda: loop.run_in_executor(None, live.reload))
        watcher = asyncio.create_task(live.watch())
        yield
        watcher.cancel()

    app = FastAPIOffline(
        title="errdex",
        version=__version__,
        summary="Looks up errors of deep-learning training.",
        lifespan=lifespan,
    )
    app.state.live = live
    app.add_middleware(RequestScope)
    problems.install(app)
    _add_lookup(app, live, chosen)
    _add_entries(app, live)
    _add_health(app, live)
    if chosen.site.is_dir():
        app.mount("/", SiteFiles(chosen.site, chosen.api_url), name="site")
    return app
