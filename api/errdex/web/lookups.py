"""`POST /lookup` and `POST /lookup/batch`."""

from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from errdex.language import accepted_lang, parse_lang
from errdex.lookup import Lookup
from errdex.models import Answer, LookupRequest
from errdex.render import to_markdown, to_text
from errdex.web import problems
from errdex.web.body import lookup_request, media_type, parse_json
from errdex.web.live import Live

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


def add_lookups(app: FastAPI, live: Live) -> None:
    """Register the endpoints."""

    @app.post("/lookup", response_model=Answer, responses=problems.RESPONSES, openapi_extra=_LOOKUP_BODY, tags=["lookup"])
    async def lookup(request: Request) -> Response:
        """Look up a traceback, a log, a message or a question; as JSON or as plain text."""
        wanted = lookup_request(await request.body(), media_type(request))
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
        wanted = BatchRequest.model_validate(parse_json(await request.body()))
        current = live.lookup
        return BatchAnswer(answers=[await run_in_threadpool(_answer, current, item, request) for item in wanted.items])
