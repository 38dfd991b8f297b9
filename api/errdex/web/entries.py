"""The entries themselves: listed, whole, searched by words, and found by their permanent address."""

from typing import Annotated

from fastapi import FastAPI, Query, Request
from fastapi.responses import RedirectResponse

from errdex.entry import Lang
from errdex.language import accepted_lang, parse_lang
from errdex.models import EntryOut, EntrySummary
from errdex.record import entry_record, entry_summary
from errdex.web import problems
from errdex.web.answering import Answering
from errdex.web.live import Live

LangQuery = Annotated[str | None, Query(description="en, zh-CN or zh-TW; by default `Accept-Language`.")]


class SearchResult(EntrySummary):
    """One entry that fits a query."""

    confidence: float


def _language(lang: str | None, request: Request) -> Lang:
    return parse_lang(lang) if lang else accepted_lang(request.headers.get("accept-language"))


def add_entries(app: FastAPI, live: Live, answering: Answering) -> None:
    """Register the endpoints."""

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
    async def search(
        request: Request,
        q: Annotated[str, Query(min_length=1, max_length=2000, description="Words in any of the three languages.")],
        lang: LangQuery = None,
        limit: Annotated[int, Query(ge=1, le=50)] = 10,
    ) -> list[SearchResult]:
        """Entries for some words, best first; unlike `POST /lookup` it always lists what comes nearest."""
        lookup, language = live.lookup, _language(lang, request)
        found = await answering.search(lookup, q, answering.deadline())
        return [
            SearchResult(
                **entry_summary(item.candidate.entry, language, lookup.links).model_dump(),
                confidence=round(item.confidence, 4),
            )
            for item in found[:limit]
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
