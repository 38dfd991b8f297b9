"""`POST /feedback`, and for curators `GET /feedback` and `GET /unanswered`."""

from datetime import date
from typing import Annotated

from fastapi import FastAPI, Query, Request, Response

from errdex.models import FeedbackOut, FeedbackRequest, UnansweredOut, UnansweredSummary
from errdex.recorder import Recorder
from errdex.web import problems
from errdex.web.body import parse_json
from errdex.web.live import Live

_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": FeedbackRequest.model_json_schema()}},
    },
}


def add_feedback(app: FastAPI, live: Live, recorder: Recorder) -> None:
    """Register the endpoints."""

    @app.post("/feedback", status_code=204, responses=problems.RESPONSES, openapi_extra=_BODY, tags=["feedback"])
    async def feedback(request: Request) -> Response:
        """Say whether an entry was right; a later word of the same request on the same entry takes the place of the first."""
        said = FeedbackRequest.model_validate(parse_json(await request.body()))
        entry = live.lookup.index.catalog.get(said.entry)
        recorder.vote(entry.id, right=said.right, request_id=said.request_id, comment=said.comment)
        return Response(status_code=204)

    @app.get("/feedback", responses=problems.RESPONSES, tags=["curators"])
    def votes(
        entry: Annotated[str | None, Query(max_length=100, description="Id or slug of one entry.")] = None,
    ) -> list[FeedbackOut]:
        """What readers said, per entry: those with the most said wrong first."""
        wanted = live.lookup.index.catalog.get(entry).id if entry else None
        return recorder.store().feedback(wanted)

    @app.get("/unanswered", responses=problems.RESPONSES, tags=["curators"])
    def unanswered(
        limit: Annotated[int, Query(ge=1, le=200)] = 20,
        since: Annotated[date | None, Query(description="Count sightings from this day (UTC) on only.")] = None,
        q: Annotated[str, Query(max_length=200, description="A part of the type or the message.")] = "",
        closed: Annotated[bool, Query(description="Also those that were resolved or are answered by now.")] = False,
    ) -> list[UnansweredSummary]:
        """What errdex could not answer, the most frequent first."""
        return recorder.store().unanswered(limit, since, q, closed=closed)

    @app.get("/unanswered/{number}", responses=problems.RESPONSES, tags=["curators"])
    def one(number: int) -> UnansweredOut:
        """All that is stored of one of them: redacted samples, versions, and how often it was seen on each day."""
        return recorder.store().unanswered_row(number)
