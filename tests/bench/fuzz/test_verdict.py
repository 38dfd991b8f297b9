"""The checks of the fuzz find each fault that they look for."""

import sys
from collections.abc import Iterator

import pytest
from fastapi import FastAPI, Request, Response
from pydantic import BaseModel

from bench.fuzz.cases import CANARY, Case
from bench.fuzz.client import Client
from bench.fuzz.verdict import faults

PROBLEM = {"content-type": "application/problem+json", "x-request-id": "one"}
GOOD = '{"type": "t", "title": "t", "status": 422, "detail": "d"}'


class Said(BaseModel):
    number: int


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    app = FastAPI()

    @app.post("/echo")
    async def echo(request: Request) -> Response:
        return Response((await request.body()).strip(), 422, PROBLEM)

    @app.get("/status/{status}")
    def with_status(status: int) -> Response:
        return Response(GOOD, status, PROBLEM)

    @app.get("/raises")
    def raises() -> None:
        raise RuntimeError

    @app.get("/form", response_model=Said)
    def form() -> Response:
        return Response('{"number": "many"}', 200, {"content-type": "application/json", "x-request-id": "one"})

    @app.get("/plain")
    def plain() -> Response:
        return Response("no", 404, {"x-request-id": "one"})

    @app.get("/prints")
    def prints(text: str) -> Response:
        sys.stderr.write(text)
        return Response("", 204, {"x-request-id": "one"})

    @app.get("/anonymous")
    def anonymous() -> Response:
        return Response("", 204)

    with Client(app) as started:
        yield started


@pytest.mark.parametrize(
    ("method", "path", "query", "body", "found"),
    [
        ("POST", "/echo", b"", GOOD.encode(), []),
        (
            "POST",
            "/echo",
            b"",
            GOOD.replace("d", CANARY).encode(),
            ["the error repeats the input", "the error is no problem document"],
        ),
        ("POST", "/echo", b"", b'{"type": "t"}', ["the error is no problem document"]),
        ("POST", "/echo", b"", GOOD.replace("422", "400").encode(), ["the problem names another status"]),
        ("POST", "/echo", b"", GOOD.replace('"d"', f'"{"d" * 2048}"').encode(), ["the error is longer than 2 kB"]),
        ("POST", "/echo", b"", GOOD.replace("}", ', "input": 1}').encode(), ["the error is no problem document"]),
        ("GET", "/status/500", b"", b"", ["status 500", "the problem names another status"]),
        ("GET", "/status/503", b"", b"", ["status 503", "the problem names another status"]),
        ("GET", "/raises", b"", b"", ["RuntimeError left the application", "status 500"]),
        ("GET", "/form", b"", b"", ["the answer does not have its declared form: int_parsing"]),
        ("GET", "/plain", b"", b"", ["the error is no problem document by its content type"]),
        ("GET", "/prints", b"text=a%0Ab", b"", []),
        ("GET", "/prints", b"text=a%1Bb", b"", ["a raw control character stands in the log"]),
        ("GET", "/prints", b"text=" + CANARY.upper().encode(), b"", ["the log repeats the input"]),
        ("GET", "/anonymous", b"", b"", ["no request id"]),
    ],
)
def test_each_fault_is_found(client: Client, method: str, path: str, query: bytes, body: bytes, found: list[str]) -> None:
    case = Case(method, path, query, (), body, "made")
    assert set(found) <= set(faults(case, client.ask(case), client.app))
    assert bool(found) == bool(faults(case, client.ask(case), client.app))
