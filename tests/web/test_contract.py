"""The API does what its OpenAPI document says: requests made from the document, answers held against it."""

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase
from hypothesis import settings as examples
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.testclient import TestClient

from errdex.settings import Settings
from errdex.web.app import create_app

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def running(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings.model_copy(update={"model": "none", "store": "none"})), follow_redirects=False) as client:
        yield client


@pytest.fixture
def described(running: TestClient) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_dict(running.app.openapi())
