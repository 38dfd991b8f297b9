"""What counting costs a request: one value added to a counter of each library, and whole requests with and without their layers.

Run it with `python bench/telemetry/counting.py`; the rounds of all sides take turns, and the median of each is printed.
"""

import argparse
import asyncio
import statistics
import sys
from collections.abc import Awaitable, Callable
from time import perf_counter

from fastapi import FastAPI, Response
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from prometheus_client import CollectorRegistry
from prometheus_client import Histogram as PrometheusHistogram
from starlette.types import ASGIApp, Message, Scope

from errdex.timings import Step, Timings
from errdex.web.tallies import STEP_BOUNDS, Histogram
from errdex.web.telemetry import Telemetry, Watch

Side = Callable[[int], float]


def seconds_of(action: Callable[[], object]) -> Side:
    """A side that repeats an action."""

    def run(times: int) -> float:
        started = perf_counter()
        for _ in range(times):
            action()
        return perf_counter() - started

    return run


def application(**telemetry: object) -> FastAPI:
    """An application whose one endpoint does nothing."""
    app = FastAPI(telemetry={"tracing": False, "logs": False, "metrics": False} | telemetry)  # type: ignore[arg-type]  # its keys

    @app.post("/lookup")
    async def lookup() -> Response:
        return Response(b"x")

    return app


def requests_to(app: ASGIApp) -> Side:
    """A side that sends requests."""

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        pass

    async def run(times: int) -> float:
        started = perf_counter()
        for _ in range(times):
            scope: Scope = {
                "type": "http",
                "http_version": "1.1",
                "scheme": "http",
                "method": "POST",
                "path": "/lookup",
                "raw_path": b"/lookup",
                "query_string": b"",
                "headers": [(b"host", b"localhost")],
                "state": {},
            }
            served: Awaitable[None] = app(scope, receive, send)
            await served
        return perf_counter() - started

    return lambda times: asyncio.run(run(times))


def medians(sides: dict[str, Side], rounds: int, times: int) -> dict[str, float]:
    """Microseconds for one of each, in turns."""
    found: dict[str, list[float]] = {name: [] for name in sides}
    for turn in range(rounds):
        for name in list(sides) if turn % 2 else reversed(sides):
            found[name].append(sides[name](times) / times * 1e6)
    return {name: statistics.median(values) for name, values in found.items()}


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--times", type=int, default=2000, help="How often in each round.")
    chosen = parser.parse_args()

    own = Histogram(STEP_BOUNDS)
    prometheus = PrometheusHistogram("steps", "-", ["step"], registry=CollectorRegistry(), buckets=STEP_BOUNDS).labels("read")
    provider = MeterProvider([InMemoryMetricReader()], shutdown_on_exit=False)
    otel = provider.get_meter("bench").create_histogram("steps", explicit_bucket_boundaries_advisory=STEP_BOUNDS)
    timings = Timings()
    native = MeterProvider([InMemoryMetricReader()], shutdown_on_exit=False)
    values = medians(
        {
            "one value, errdex": seconds_of(lambda: own.add(0.002)),
            "one value, prometheus_client": seconds_of(lambda: prometheus.observe(0.002)),
            "one value, OpenTelemetry SDK": seconds_of(lambda: otel.record(0.002, {"step": "read"})),
            "end of a step": seconds_of(lambda: timings.end(Step.READ)),
        },
        chosen.rounds,
        chosen.times,
    )
    requests = medians(
        {
            "request, bare": requests_to(application()),
            "request, counted by errdex": requests_to(Telemetry(application(), Watch())),
            "request, counted by FastAPI": requests_to(application(metrics=True, meter_provider=native)),
        },
        chosen.rounds,
        max(chosen.times // 4, 1),
    )
    for name, microseconds in (values | requests).items():
        sys.stdout.write(f"{name:<32} {microseconds:8.2f} µs\n")


if __name__ == "__main__":
    main()
