"""The API does what its OpenAPI document says: requests made from the document, answers held against it."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import schemathesis
import uvicorn
from fastapi import FastAPI
from fastapi.responses import JSONResponse, PlainTextResponse
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from errdex.models import Problem
from errdex.settings import Settings
from errdex.web.app import create_app

Operation = APIOperation[Any, Any, Any, Any]
EXAMPLES = 15  # of each operation, of right and of wrong requests
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


class _Started(uvicorn.Server):
    """A server in a thread that says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    @property
    def port(self) -> int:
        return int(self.servers[0].sockets[0].getsockname()[1])


@contextmanager
def _served(app: FastAPI) -> Iterator[schemathesis.BaseSchema]:
    server = _Started(uvicorn.Config(app, port=0, log_config=None, lifespan="on"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        assert server.listening.wait(60)
        yield schemathesis.openapi.from_url(f"http://127.0.0.1:{server.port}/openapi.json")
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def described(settings: Settings) -> Iterator[schemathesis.BaseSchema]:
    with _served(create_app(settings.model_copy(update={"model": "none", "store": "none"}))) as schema:
        yield schema


def _operations(schema: schemathesis.BaseSchema) -> list[Operation]:
    """Every operation of a document; one that cannot be read is none."""
    found = list(schema.get_all_operations())
    assert all(isinstance(one, Ok) for one in found)
    return [one.ok() for one in found if isinstance(one, Ok)]


def _wrong(operation: Operation, mode: GenerationMode) -> str | None:
    """What the first failing example of an operation shows; None when all is as the document says."""

    @examples(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=mode))
    def answers_as_declared(case: schemathesis.Case[Any]) -> None:
        case.call_and_validate(checks=CHECKS, allow_redirects=False)

    try:
        answers_as_declared()
    except (FailureGroup, Failure) as failure:
        return f"{operation.label}: {failure}"
    except Unsatisfiable:  # there is no wrong request for an operation that takes nothing
        return None
    return None


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_the_api_does_what_its_document_says(described: schemathesis.BaseSchema, mode: GenerationMode) -> None:
    operations = _operations(described)
    assert len(operations) >= 8
    assert [wrong for operation in operations if (wrong := _wrong(operation, mode))] == []


def test_a_broken_promise_is_found() -> None:
    app = FastAPI()

    @app.get("/status")
    def status() -> JSONResponse:
        return JSONResponse({}, status_code=418)

    @app.get("/form", response_model=Problem)
    def form() -> JSONResponse:
        return JSONResponse({"type": 1})

    @app.get("/media", response_model=Problem)
    def media() -> PlainTextResponse:
        return PlainTextResponse("text")

    @app.get("/kept")
    def kept() -> str:
        return "kept"

    with _served(app) as schema:
        wrong = [_wrong(operation, GenerationMode.POSITIVE) for operation in _operations(schema)]
    assert [bool(what) for what in wrong] == [True, True, True, False]
