import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from errdex.settings import Settings
from errdex.web.app import create_app
from errdex.web.exposition import Sources, scrape
from errdex.web.live import Live
from errdex.web.tallies import Tallies
from tests.conftest import ROOT

LOG = "ValueError: Attempting to unscale FP16 gradients."
# Which of these there are depends on the system.
_OF_PROCESS = "process_"


@dataclass(frozen=True)
class Waiting:
    waiting: int
    dropped: int


@pytest.fixture(scope="module")
def families(small: Settings) -> dict[str, Metric]:
    """Everything that can be counted, after one request of each sort."""
    app = create_app(small)
    with TestClient(app) as client:
        client.post("/lookup", content=LOG.encode())
        client.post("/lookup", content=b"")
        text, _ = scrape(Sources(app.state.tallies, app.state.live, Waiting(3, 5)))("")
    return {family.name: family for family in text_string_to_metric_families(text.decode())}


def served_name(family: Metric) -> str:
    return f"{family.name}_total" if family.type == "counter" else family.name


def test_each_metric_has_its_row_in_the_documentation(families: dict[str, Metric]) -> None:
    rows = []
    for family in families.values():
        labels = sorted({label for sample in family.samples for label in sample.labels} - {"le"})
        shown = ", ".join(f"`{label}`" for label in labels) or "none"
        rows.append(f"| `{served_name(family)}` | {family.type} | {shown} | {family.documentation} |")
    page = (ROOT / "docs" / "observability.md").read_text(encoding="utf-8")
    head = "| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n"
    assert head + "\n".join(rows) in page


def value(families: dict[str, Metric], name: str, **labels: str) -> float:
    samples = [sample for family in families.values() for sample in family.samples if sample.name == name]
    (found,) = [sample.value for sample in samples if sample.labels == labels]
    return float(found)


def test_numbers_of_the_index_the_recorder_and_the_process(families: dict[str, Metric], small: Settings) -> None:
    live = Live(small)
    assert live.reload()
    manifest = live.lookup.index.manifest
    version = {"version": f"sha256:{manifest.content}", "encoder": manifest.encoder}
    assert value(families, "errdex_index_info", **version) == 1
    assert value(families, "errdex_index_entries") == manifest.entries
    assert (value(families, "errdex_index_loads_total"), value(families, "errdex_index_refusals_total")) == (1, 0)
    assert (value(families, "errdex_recorder_waiting"), value(families, "errdex_recorder_dropped_total")) == (3, 5)
    assert value(families, "process_resident_memory_bytes") > 10 << 20


def test_buckets_grow_to_the_count(families: dict[str, Metric]) -> None:
    for family in families.values():
        if family.type != "histogram":
            continue
        rows: dict[tuple[tuple[str, str], ...], list[float]] = {}
        for sample in family.samples:
            key = tuple(sorted((name, text) for name, text in sample.labels.items() if name != "le"))
            if sample.name.endswith("_bucket"):
                rows.setdefault(key, []).append(sample.value)
            elif sample.name.endswith("_count"):
                assert rows[key][-1] == sample.value
        assert all(row == sorted(row) for row in rows.values())


@pytest.mark.parametrize(
    ("accept", "content_type", "end"),
    [
        ("", "text/plain; version=0.0.4; charset=utf-8", ""),
        ("application/openmetrics-text; version=1.0.0", "application/openmetrics-text; version=1.0.0; charset=utf-8", "# EOF\n"),
    ],
)
def test_the_form_that_is_asked_for(small: Settings, accept: str, content_type: str, end: str) -> None:
    with TestClient(create_app(small)) as client:
        answer = client.get("/metrics", headers={"accept": accept})
    assert answer.headers["content-type"].startswith(content_type)
    assert answer.text.endswith(end)


def test_without_an_index_there_are_metrics_all_the_same(tmp_path: Path) -> None:
    text, _ = scrape(Sources(Tallies(), Live(Settings(index=tmp_path / "none"))))("")
    assert b"errdex_index_loads_total 0.0" in text
    assert b"errdex_index_info{" not in text


def expressions() -> Iterator[tuple[str, str]]:
    """Every PromQL text in deploy/ and in the documentation, with the place that it stands in."""
    for name in ("grafana.json", "alerts.yml"):
        text = (ROOT / "deploy" / name).read_text(encoding="utf-8")
        yield from ((name, found) for found in re.findall(r"\b(?:errdex|http_server|process)_\w+", text))
    page = (ROOT / "docs" / "observability.md").read_text(encoding="utf-8")
    yield from (("observability.md", found) for found in re.findall(r"\b(?:errdex|http_server)_\w+", page))


def test_dashboards_and_alerts_ask_for_what_there_is(families: dict[str, Metric]) -> None:
    known = {sample.name for family in families.values() for sample in family.samples} | {
        served_name(f) for f in families.values()
    }
    asked = set(expressions())
    assert len(asked) > 30
    assert not {(place, name) for place, name in asked if name not in known}


def test_the_dashboard_shows_every_metric(families: dict[str, Metric]) -> None:
    dashboard = (ROOT / "deploy" / "grafana.json").read_text(encoding="utf-8")
    own = {family.name for family in families.values() if not family.name.startswith(_OF_PROCESS)}
    assert {name for name in own if name not in dashboard} == set()
