"""The shapes that leave errdex: the one JSON form of a lookup's answer, and of a problem."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from errdex.entry import Lang


class Status(StrEnum):
    """How sure the answer is."""

    MATCH = "match"
    CANDIDATES = "candidates"
    NO_MATCH = "no_match"


class Stage(StrEnum):
    """What found a result."""

    SIGNATURE = "signature"
    LEXICAL = "lexical"
    DENSE = "dense"


class Shape(BaseModel):
    """Base of all answers."""

    model_config = ConfigDict(frozen=True)


class LookupRequest(BaseModel):
    """Body of `POST /lookup`."""

    model_config = ConfigDict(extra="forbid")

    traceback: str = Field(
        description="A traceback, a training log, an error message or a question, whole or torn.",
        examples=["ValueError: Attempting to unscale FP16 gradients."],
    )
    lang: str | None = Field(default=None, description="en, zh-CN or zh-TW; by default the language of the text.")
    limit: Annotated[int, Field(ge=1, le=10)] = 3
    environment: dict[str, str] | None = Field(
        default=None,
        max_length=50,
        description="Library versions, as far as known.",
        examples=[{"torch": "2.13.0"}],
    )


class RootError(Shape):
    """The error that the log is about."""

    type: str | None = Field(description="Exception type without its module; null when only a message was found.")
    message: str
    rank: int | None = Field(description="Rank that failed first, when the log names ranks.")
    line: int = Field(description="Line of the input, counted from 1.")


class Consequence(RootError):
    """An error that followed from the root."""

    reason: Literal["wrapper", "later-rank", "context", "later"] = Field(
        description="wrapper: reports another failure; later-rank: another rank failed afterwards; "
        "context: in one chain with the root; later: elsewhere in the log.",
    )


class ReportSummary(Shape):
    """What was read in the input."""

    root: RootError | None
    consequences: list[Consequence]
    versions: dict[str, str]
    redactions: int = Field(description="Secrets, addresses and personal paths that were removed before anything else.")


class Evidence(Shape):
    """Why a result is here."""

    stage: Stage
    line: int | None = Field(description="Line of the input that the signature matched, counted from 1.")
    text: str | None = Field(description="That line, cleaned and redacted.")
    captures: dict[str, str]


class FixOut(Shape):
    """One fix."""

    title: str
    markdown: str
    code: list[str]


class Verified(Shape):
    """The last time the entry's scripts were run and did what it says; besides these, a version per library (`torch`)."""

    model_config = ConfigDict(frozen=True, extra="allow")
    __pydantic_extra__: dict[str, str] = Field(init=False)

    python: str
    device: str
    date: date

    @property
    def versions(self) -> dict[str, str]:
        """Library to version."""
        return self.__pydantic_extra__


class Result(Shape):
    """One entry that answers, in one language."""

    id: str
    slug: str
    title: str
    lang: Lang
    kind: Literal["error", "guide"]
    confidence: float = Field(ge=0, le=1, description="Calibrated probability that this is the right entry.")
    summary: str
    evidence: Evidence
    fixes: list[FixOut]
    verified: Verified | None
    url: str


class Answer(Shape):
    """Answer of `POST /lookup`."""

    status: Status
    request_id: str
    index: str = Field(description="Content hash of the index that answered.")
    lang: Lang
    report: ReportSummary
    results: list[Result]
    looked_for: str | None = Field(description="When nothing matched: the words that were looked for.")
    contribute: str | None = Field(description="When nothing matched: a pre-filled form for a new entry.")
    degraded: bool = Field(
        default=False,
        description="The model did not answer in time: signatures and words alone decided. Asking again may say more.",
    )


class EntrySummary(Shape):
    """One line of `GET /entries`."""

    id: str
    slug: str
    title: str
    kind: Literal["error", "guide"]
    area: str
    url: str


class EntryOut(EntrySummary):
    """`GET /entries/{id}`: a whole entry in one language."""

    lang: Lang
    status: str
    summary: str
    products: list[str]
    versions: dict[str, str]
    related: list[str]
    sources: list[str]
    patterns: list[str]
    fixes: list[FixOut]
    markdown: str
    scripts: dict[str, str]
    verified: Verified | None


class Problem(Shape):
    """RFC 9457 problem document; never repeats the input."""

    type: str
    title: str
    status: int
    detail: str
    field: str | None = None
    request_id: str | None = None
