"""Every error of the HTTP face as an RFC 9457 problem document that never repeats the input."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.types import Scope, Send

from errdex.errors import ErrdexError
from errdex.models import Problem

MEDIA_TYPE = "application/problem+json"
RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": text, "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
    for status, text in {
        400: "The body cannot be read.",
        401: "An API key is missing, mistyped, unknown or expired.",
        403: "The API key's role does not suffice.",
        404: "There is no such entry or page.",
        408: "The request took too long to arrive.",
        413: "The body is too large.",
        415: "The content type is not read.",
        421: "The server does not answer to this host name.",
        422: "A field is wrong.",
        429: "The rate is used up; `Retry-After` says when to come back.",
        431: "The headers are too large.",
        503: "The index is not ready, or the server is busy or stopping.",
    }.items()
}

_OF_STARLETTE = {
    404: ("not-found", "There is nothing here"),
    405: ("method-not-allowed", "This method is not allowed here"),
}


def _response(problem: Problem, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse(
        problem.model_dump(exclude_none=True),
        status_code=problem.status,
        media_type=MEDIA_TYPE,
        headers=headers,
    )


def _request_id(request: Request) -> str | None:
    found = getattr(request.state, "request_id", None)
    return found if isinstance(found, str) else None


def _of(error: ErrdexError, request_id: str | None) -> Problem:
    return Problem(
        type=f"urn:errdex:problem:{error.kind()}",
        title=error.title,
        status=error.status,
        detail=error.detail,
        field=error.field,
        request_id=request_id,
    )


def from_error(error: ErrdexError, request: Request) -> JSONResponse:
    """A problem for one of errdex's own errors."""
    request.state.problem = error.kind()
    retry = {"Retry-After": str(error.retry_after)} if error.retry_after is not None else None
    return _response(_of(error, _request_id(request)), retry)


def encoded(error: ErrdexError, request_id: str | None) -> bytes:
    """The problem document of one of errdex's own errors, as it is sent."""
    return _of(error, request_id).model_dump_json(exclude_none=True).encode()


async def send_problem(scope: Scope, send: Send, error: ErrdexError, headers: Mapping[str, str] | None = None) -> None:
    """Answer a request with a problem, from outside the endpoints.

    Args:
        scope: the request; what is wrong with it is noted there, for those who count.
        send: where the answer goes.
        error: what is wrong.
        headers: more headers of the answer.
    """
    state = scope.setdefault("state", {})
    state["problem"] = error.kind()
    body = encoded(error, state.get("request_id"))
    sent = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    if error.retry_after is not None:
        sent.append((b"retry-after", str(error.retry_after).encode()))
    sent += [(name.lower().encode(), value.encode("latin-1")) for name, value in (headers or {}).items()]
    await send({"type": "http.response.start", "status": error.status, "headers": sent})
    await send({"type": "http.response.body", "body": body})


def field_problem(errors: Sequence[Mapping[str, Any]], request: Request) -> JSONResponse:
    """A problem that names the first wrong field; pydantic's own text would repeat the input."""
    request.state.problem = "invalid-field"
    problem = Problem(
        type="urn:errdex:problem:invalid-field",
        title="A field is wrong",
        status=422,
        detail="; ".join(": ".join(filter(None, (_field(error["loc"]), _message(error)))) for error in errors[:5]),
        field=_field(errors[0]["loc"]) or None,
        request_id=_request_id(request),
    )
    return _response(problem)


@cache
def _own_names() -> frozenset[str]:
    """Names of all fields that errdex's own models have."""

    def models(parent: type[BaseModel]) -> Iterator[type[BaseModel]]:
        for model in parent.__subclasses__():
            yield model
            yield from models(model)

    return frozenset(name for model in models(BaseModel) if model.__module__.startswith("errdex.") for name in model.model_fields)


def _field(location: Sequence[str | int]) -> str:
    """Where a wrong value stands, as far as errdex's own names lead: a key that somebody sent is their text."""
    where, *path = location or ("body",)
    if where in ("query", "path", "header"):
        return ".".join(map(str, path))
    known: list[str] = []
    for part in path if where == "body" else location:
        if isinstance(part, str) and part not in _own_names():
            break
        known.append(str(part))
    return ".".join(known)


def _message(error: Mapping[str, Any]) -> str:
    # Messages of these kinds are fixed texts; others may hold a piece of the input.
    fixed = ("missing", "extra_forbidden", "string_type", "int_type", "int_parsing", "dict_type", "list_type")
    bounded = ("greater_than_equal", "less_than_equal", "too_long", "too_short", "string_too_long", "string_too_short")
    return str(error["msg"]) if error["type"] in fixed + bounded else "is not of the form that the documentation shows"


def install(app: FastAPI) -> None:
    """Register the handlers."""

    @app.exception_handler(ErrdexError)
    async def _errdex(request: Request, error: ErrdexError) -> JSONResponse:
        return from_error(error, request)

    @app.exception_handler(RequestValidationError)
    async def _validation(request: Request, error: RequestValidationError) -> JSONResponse:
        return field_problem(list(error.errors()), request)

    @app.exception_handler(ValidationError)
    async def _model(request: Request, error: ValidationError) -> JSONResponse:
        return field_problem(list(error.errors(include_url=False, include_input=False)), request)

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> JSONResponse:
        kind, title = _OF_STARLETTE.get(error.status_code, ("other", "The request cannot be served"))
        request.state.problem = kind
        problem = Problem(
            type="about:blank",
            title=title,
            status=error.status_code,
            detail="See /docs for the addresses that exist and the methods they take.",
            request_id=_request_id(request),
        )
        return _response(problem, dict(error.headers) if error.headers else None)
