"""`POST /lookup` and `POST /lookup/batch`."""

from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, ConfigDict, Field

from errdex.language import accepted_lang
from errdex.models import Answer, LookupRequest
from errdex.render import to_markdown, to_text
from errdex.timings import Step
from errdex.web import problems
from errdex.web.answering import Answering
from errdex.web.body import lookup_request, media_type, parse_json
from errdex.web.live import Live
from errdex.web.rates import charge
from errdex.web.tallies import Tallies

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


def _rendered(answer: Answer, accept: str) -> Response:
    headers = {"Content-Language": answer.lang, "Vary": "Accept, Accept-Language"}
    match _wanted(accept):
        case "text/markdown":
            return Response(to_markdown(answer), media_type="text/markdown", headers=headers)
        case "text/plain":
            return PlainTextResponse(to_text(answer), headers=headers)
        case _:
            return Response(answer.model_dump_json(), media_type="application/json", headers=headers)


def add_lookups(app: FastAPI, live: Live, answering: Answering, tallies: Tallies) -> None:
    """Register the endpoints."""

    @app.post("/lookup", response_model=Answer, responses=problems.RESPONSES, openapi_extra=_LOOKUP_BODY, tags=["lookup"])
    async def lookup(request: Request) -> Response:
        """Look up a traceback, a log, a message or a question; as JSON or as plain text."""
        wanted = lookup_request(await request.body(), media_type(request))
        spoken = accepted_lang(request.headers.get("accept-language"))
        answer, timings = await answering.answer(live.lookup, wanted, spoken, request.state.request_id, answering.deadline())
        timings.resume()
        response = _rendered(answer, request.headers.get("accept", ""))
        timings.end(Step.RENDER)
        tallies.answered(answer, timings)
        request.state.timings = timings
        request.state.logged = {"answer": answer.status.value} | (
            {"entry": answer.results[0].id, "stage": answer.results[0].evidence.stage.value} if answer.results else {}
        )
        return response

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
    async def batch(request: Request) -> Response:
        """Look up to 100 texts; the limits of size and time hold for all together, each text counts against the rate."""
        wanted = BatchRequest.model_validate(parse_json(await request.body()))
        await charge(request, len(wanted.items) - 1)
        current, deadline = live.lookup, answering.deadline()
        spoken, request_id = accepted_lang(request.headers.get("accept-language")), request.state.request_id
        answers = []
        for item in wanted.items:
            answer, timings = await answering.answer(current, item, spoken, request_id, deadline)
            tallies.answered(answer, timings)
            answers.append(answer)
        return Response(BatchAnswer(answers=answers).model_dump_json(), media_type="application/json")
