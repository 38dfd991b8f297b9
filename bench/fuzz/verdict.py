"""What must hold for every answer, whatever was asked."""

import re
from functools import cache

from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from starlette.routing import Match

from bench.fuzz.cases import CANARY, Case
from bench.fuzz.client import Reply
from errdex.models import Problem

MAX_ERROR_BODY = 2048  # bytes
MAX_SECONDS = 0.25  # of processor time
_RAW_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


class _StrictProblem(Problem):
    """A problem document and nothing else."""

    model_config = ConfigDict(extra="forbid")


def faults(case: Case, reply: Reply, app: FastAPI) -> list[str]:
    """What is wrong with a reply; empty when nothing is. The time is judged by `is_slow`."""
    found: list[str] = []
    if reply.escaped:
        found.append(f"{reply.escaped} left the application")
    if reply.status >= 500 and not (reply.status == 503 and reply.header(b"retry-after")):
        found.append(f"status {reply.status}")
    elif reply.status < 200:
        found.append(f"no answer (status {reply.status})")
    if reply.header(b"x-request-id") is None:
        found.append("no request id")
    found += _error_faults(case, reply) if reply.status >= 400 else _answer_faults(case, reply, app)
    if CANARY in reply.logged.lower():
        found.append("the log repeats the input")
    if _RAW_CONTROL.search(reply.logged):
        found.append("a raw control character stands in the log")
    return found


def is_slow(reply: Reply) -> bool:
    """Whether it took more than any text may take."""
    return reply.seconds > MAX_SECONDS


def _error_faults(case: Case, reply: Reply) -> list[str]:
    found: list[str] = []
    headers = b"\n".join(value for _, value in reply.headers)
    if CANARY.encode() in (reply.body + headers).lower():
        found.append("the error repeats the input")
    if len(reply.body) > MAX_ERROR_BODY:
        found.append("the error is longer than 2 kB")
    if case.method == "HEAD" and not reply.body:
        return found
    if reply.header(b"content-type") != b"application/problem+json":
        found.append("the error is no problem document by its content type")
        return found
    try:
        problem = _StrictProblem.model_validate_json(reply.body)
    except ValidationError:
        return [*found, "the error is no problem document"]
    if problem.status != reply.status:
        found.append("the problem names another status")
    return found


def _answer_faults(case: Case, reply: Reply, app: FastAPI) -> list[str]:
    if reply.status != 200 or not (reply.header(b"content-type") or b"").startswith(b"application/json"):
        return []
    scope = case.scope()
    for route in app.routes:
        if isinstance(route, APIRoute) and route.matches(scope)[0] is Match.FULL and route.response_model is not None:
            try:
                _adapter(route.response_model).validate_json(reply.body)
            except ValidationError as error:
                return [f"the answer does not have its declared form: {error.errors()[0]['type']}"]
            return []
    return []


@cache
def _adapter(model: type[BaseModel]) -> TypeAdapter[BaseModel]:
    return TypeAdapter(model)
