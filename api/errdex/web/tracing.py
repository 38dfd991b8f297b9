"""Traces of requests, where `OTEL_EXPORTER_OTLP_ENDPOINT` is set and `errdex[otel]` installed; else nothing is loaded."""

import logging
import os
from collections.abc import Mapping
from time import time_ns
from typing import TYPE_CHECKING

from errdex import __version__
from errdex.timings import Step, Timings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

log = logging.getLogger("errdex")


def wanted() -> bool:
    """Whether the environment asks for traces, by OpenTelemetry's own variables."""
    named = os.environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") or os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT")
    off = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true" or os.environ.get("OTEL_TRACES_EXPORTER", "otlp") == "none"
    return bool(named) and not off


class Tracing:
    """Writes one span a request: method, route, status and a lookup's steps; never an address, a header or a text."""

    def __init__(self, provider: "TracerProvider") -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("errdex", __version__)

    def record(
        self,
        attributes: Mapping[str, str | int],
        parent: Mapping[str, str],
        seconds: float,
        timings: Timings | None = None,
    ) -> None:
        """A request has been served just now.

        Args:
            attributes: method, route, status and the like, by their names in OpenTelemetry's conventions.
            parent: the headers `traceparent` and `tracestate`, where the caller sent them.
            seconds: how long it took.
            timings: the steps of its lookup.
        """
        from opentelemetry.trace import SpanKind, StatusCode
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        end = time_ns()
        steps = {f"errdex.step.{step.label}": timings.spent[step] / 1e9 for step in Step} if timings else {}
        span = self._tracer.start_span(
            f"{attributes['http.request.method']} {attributes['http.route']}",
            context=TraceContextTextMapPropagator().extract(dict(parent)),
            kind=SpanKind.SERVER,
            attributes={**attributes, **steps},
            start_time=end - int(seconds * 1e9),
        )
        if int(attributes["http.response.status_code"]) >= 500:
            span.set_status(StatusCode.ERROR)
        span.end(end)

    def close(self) -> None:
        """Send what is still waiting."""
        self._provider.shutdown()


def open_tracing() -> Tracing | None:
    """Tracing as the environment describes it; None where it does not ask for it, or the exporter is missing, which is logged."""
    if not wanted():
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        log.error("OTEL_EXPORTER_OTLP_ENDPOINT is set, but traces need: pip install 'errdex[otel]'")
        return None
    # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES go before the name given here.
    resource = Resource({SERVICE_NAME: "errdex"}).merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Tracing(provider)
