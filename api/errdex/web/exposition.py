"""What `/metrics` answers: the tallies, the index and the process, in Prometheus' and OpenMetrics' text form.

`prometheus_client` is loaded by the first scrape, not when the server starts.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from platform import python_version
from typing import TYPE_CHECKING, Protocol, TypeAlias

from errdex import __version__
from errdex.errors import IndexNotReadyError
from errdex.timings import Step
from errdex.web.live import Live
from errdex.web.tallies import Histogram, Tallies

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry, Metric

Labels: TypeAlias = tuple[str, ...]


class Backlog(Protocol):
    """What is said of a writer that works behind the answers."""

    @property
    def waiting(self) -> int:
        """How much is not written yet."""

    @property
    def dropped(self) -> int:
        """How much was given up because too much waited or nothing could be written."""


@dataclass(frozen=True)
class Sources:
    """Where the numbers come from."""

    tallies: Tallies
    live: Live
    backlog: Backlog | None = None


def _counter(name: str, help_: str, labels: Labels, values: Mapping[Labels, float]) -> "Metric":
    from prometheus_client.metrics_core import CounterMetricFamily

    family = CounterMetricFamily(name, help_, labels=labels)
    for row, value in sorted(values.items()):
        family.add_metric(row, value)
    return family


def _gauge(name: str, help_: str, value: float, labels: Mapping[str, str] | None = None) -> "Metric":
    from prometheus_client.metrics_core import GaugeMetricFamily

    named = labels or {}
    family = GaugeMetricFamily(name, help_, labels=tuple(named))
    family.add_metric(tuple(named.values()), value)
    return family


def _histogram(name: str, help_: str, labels: Labels, rows: Iterable[tuple[Labels, Histogram]]) -> "Metric":
    from prometheus_client.metrics_core import HistogramMetricFamily

    family = HistogramMetricFamily(name, help_, labels=labels)
    for row, durations in rows:
        counts, buckets, below = list(durations.counts), [], 0
        for bound, count in zip((*durations.bounds, float("inf")), counts, strict=True):
            below += count
            buckets.append(("+Inf" if bound == float("inf") else repr(bound), float(below)))
        family.add_metric(row, buckets, durations.total)
    return family


def _of_requests(tallies: Tallies) -> Iterator["Metric"]:
    yield _histogram(
        "http_server_request_duration_seconds",
        "How long requests took, from their first byte to the last of the answer.",
        ("http_request_method", "http_route", "http_response_status_code"),
        (((method, route, str(status)), durations) for (method, route, status), durations in sorted(tallies.requests.items())),
    )
    yield _gauge("http_server_active_requests", "Requests being served now.", tallies.active)
    yield _counter(
        "errdex_problems",
        "Answers that were problem documents, by kind: refusals, bad input, faults.",
        ("kind",),
        {(kind,): count for kind, count in list(tallies.problems.items())},
    )


def _of_lookups(tallies: Tallies) -> Iterator["Metric"]:
    yield _counter(
        "errdex_lookups",
        "Texts looked up, by the answer's status and by what found its first result.",
        ("status", "stage"),
        dict(list(tallies.lookups.items())),
    )
    yield _histogram(
        "errdex_lookup_duration_seconds",
        "A lookup's own work without the request around it, by what found the first result.",
        ("stage",),
        (((stage,), durations) for stage, durations in sorted(tallies.lookup_seconds.items())),
    )
    yield _histogram(
        "errdex_lookup_step_duration_seconds",
        "A lookup's steps, each where it was needed.",
        ("step",),
        (((step.label,), tallies.step_seconds[step]) for step in Step),
    )
    yield _counter("errdex_lookups_degraded", "Lookups that ran out of time and left the model out.", (), {(): tallies.degraded})
    yield _counter("errdex_redactions", "Secrets and personal parts taken out of texts.", (), {(): tallies.redactions})


def _of_index(live: Live) -> Iterator["Metric"]:
    with suppress(IndexNotReadyError):
        manifest = live.lookup.index.manifest
        yield _gauge(
            "errdex_index_info",
            "The index that answers; always 1.",
            1,
            {"version": f"sha256:{manifest.content}", "encoder": manifest.encoder},
        )
        yield _gauge("errdex_index_entries", "Entries in the index.", manifest.entries)
        yield _gauge("errdex_index_loaded_timestamp_seconds", "When the index was taken up.", live.loaded_at)
    yield _counter("errdex_index_loads", "Indexes taken up, the first one too.", (), {(): live.loads})
    yield _counter("errdex_index_refusals", "Indexes that were not taken up.", (), {(): live.refusals})


def _families(sources: Sources) -> Iterator["Metric"]:
    yield from _of_requests(sources.tallies)
    yield from _of_lookups(sources.tallies)
    yield from _of_index(sources.live)
    if backlog := sources.backlog:
        yield _gauge("errdex_recorder_waiting", "What is to be stored and is not yet.", backlog.waiting)
        yield _counter("errdex_recorder_dropped", "What was to be stored and was given up.", (), {(): backlog.dropped})
    yield _gauge("errdex_build_info", "The program; always 1.", 1, {"version": __version__, "python": python_version()})


def _registry(sources: Sources) -> "CollectorRegistry":
    """A registry of this application alone: several in one process do not meet."""
    from prometheus_client import CollectorRegistry, ProcessCollector
    from prometheus_client.registry import Collector

    class Numbers(Collector):
        def collect(self) -> Iterator["Metric"]:
            return _families(sources)

    registry = CollectorRegistry()
    registry.register(Numbers())
    ProcessCollector(registry=registry)
    return registry


def scrape(sources: Sources) -> Callable[[str], tuple[bytes, str]]:
    """A function from an `Accept` header to the numbers of now and their content type."""
    found: CollectorRegistry | None = None

    def numbers(accept: str) -> tuple[bytes, str]:
        nonlocal found
        from prometheus_client.exposition import choose_encoder

        found = found or _registry(sources)
        encode, content_type = choose_encoder(accept)
        return encode(found), content_type

    return numbers
