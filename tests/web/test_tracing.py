"""Traces against a collector that listens on a port of this machine."""

import logging
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from starlette.testclient import TestClient

from errdex.settings import Settings
from errdex.web import tracing
from errdex.web.app import create_app
from errdex.web.telemetry import Watch

LOG = "ValueError: Attempting to unscale FP16 gradients."
CANARY = "canary-91c04"
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class Collector(ThreadingHTTPServer):
    """Keeps what is sent to it."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Receiver)
        self.bodies: list[bytes] = []

    @property
    def spans(self) -> dict[str, Span]:
        """By their names."""
        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        scopes = [scope for request in requests for resource in request.resource_spans for scope in resource.scope_spans]
        return {span.name: span for scope in scopes for span in scope.spans}


class Receiver(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        self.server.bodies.append(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name in the class above
        pass


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    with Collector() as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.delenv("OTEL_SERVICE_NAME", raising=False)
        yield server
        server.shutdown()


def attributes(span: Span) -> dict[str, str | int | float]:
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value") or "") for pair in span.attributes}


def test_a_request_is_one_span_with_the_steps_of_its_lookup(small: Settings, collector: Collector) -> None:
    with TestClient(create_app(small)) as client:
        headers = {"traceparent": PARENT, "x-request-id": "request-0001"}
        client.post("/lookup", content=LOG.encode(), headers=headers)
        client.get("/livez")
    asked, alive = collector.spans["POST /lookup"], collector.spans["GET /livez"]
    said = attributes(asked)
    assert (said["http.route"], said["http.response.status_code"], said["errdex.request_id"]) == ("/lookup", 200, "request-0001")
    assert float(said["errdex.step.signatures"]) > 0
    assert float(said["errdex.step.model"]) == 0
    assert (asked.trace_id.hex(), asked.parent_span_id.hex()) == (PARENT[3:35], PARENT[36:52])
    assert asked.end_time_unix_nano > asked.start_time_unix_nano
    assert "errdex.step.read" not in attributes(alive)
    assert not alive.parent_span_id


def test_nothing_that_was_sent_stands_in_a_span(small: Settings, collector: Collector) -> None:
    secret = {"user-agent": CANARY, "x-request-id": f"{CANARY}\t", "traceparent": CANARY, "cookie": CANARY}
    with TestClient(create_app(small)) as client:
        client.post("/lookup", content=f"{CANARY}Error: {CANARY}".encode(), headers=secret)
        client.get(f"/search?q={CANARY}", headers=secret)
        client.get(f"/{CANARY}?{CANARY}", headers=secret)
    assert len(collector.spans) == 3
    assert not any(CANARY.encode() in body for body in collector.bodies)


def test_a_fault_is_marked_without_its_message(small: Settings, collector: Collector) -> None:
    app = create_app(small)

    @app.get("/fault")
    def fault() -> None:
        raise RuntimeError(CANARY)

    with TestClient(app, raise_server_exceptions=False) as client:
        client.get("/fault")
    assert collector.spans["GET /fault"].status.code == 2
    assert not any(CANARY.encode() in body for body in collector.bodies)


@pytest.mark.parametrize(
    ("name", "value"), [("OTEL_SDK_DISABLED", "true"), ("OTEL_TRACES_EXPORTER", "none"), ("OTEL_EXPORTER_OTLP_ENDPOINT", "")]
)
def test_the_environment_can_say_no(collector: Collector, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    assert tracing.wanted()
    monkeypatch.setenv(name, value)
    assert not tracing.wanted()
    assert tracing.open_tracing() is None


def test_without_the_exporter_the_server_says_what_is_missing_and_serves(
    collector: Collector,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    watch = Watch()
    with caplog.at_level(logging.ERROR):
        watch.open()
    assert "errdex[otel]" in caplog.text
    watch.served({"type": "http", "method": "GET", "headers": []}, 200, 0.001)
    watch.close()


def test_the_operators_name_for_the_service_goes_before(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "service.name=errors,deployment.environment.name=prod")
    watch = Watch()
    watch.open()
    watch.served({"type": "http", "method": "GET", "headers": []}, 200, 0.001)
    watch.close()
    (resource,) = ExportTraceServiceRequest.FromString(collector.bodies[0]).resource_spans
    said = {pair.key: pair.value.string_value for pair in resource.resource.attributes}
    assert said == {"service.name": "errors", "deployment.environment.name": "prod"}
