"""A short soak on a real server; `make soak` is the long one."""

import math
import time
from pathlib import Path

import pytest

from bench.load.client import Timed, load
from bench.load.mix import Ask, Kind, asks, mixed
from bench.load.server import Vital, serving
from bench.soak.__main__ import figures, smaller
from bench.soak.run import Sample, drift, memory_slope, quantile, soak
from errdex.index import Index, save_index
from errdex.settings import Settings
from errdex.web.app import create_app

REQUESTS, CLIENTS, RELOADS = 480, 4, 2
# Fewer of what takes long than in the long run; every kind all the same.
SHARES: dict[Kind, float] = {"signature": 0.87, "question": 0.03, "long": 0.01, "other": 0.09}


@pytest.fixture(scope="module")
def prepared() -> dict[Kind, list[Ask]]:
    return asks(create_app(Settings(model="none", site=Path("/nonexistent"))).openapi())


def test_under_load_and_with_new_indexes_every_request_is_answered(
    tmp_path: Path, index: Index, prepared: dict[Kind, list[Ask]]
) -> None:
    save_index(index, tmp_path / "index")
    shares = [mixed(prepared, number, REQUESTS // CLIENTS, SHARES) for number in range(CLIENTS)]
    with serving(tmp_path / "index", tmp_path / "log", {"ERRDEX_MODEL": "none"}) as server:
        found = soak(server, shares, tmp_path / "index", (smaller(index), index), RELOADS)
        assert load(server.port, [[Ask("other", b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n", frozenset({204}))]]).failed
    told = figures(found)
    assert found.taken.failed == []
    assert (told["answered"], told["reloads"], told["missed_reloads"]) == (REQUESTS, RELOADS, 0)
    assert {one.kind for one in found.taken.timed} == set(SHARES)
    # Threads of the pool come as they are needed; connections are closed again.
    assert found.samples[-1].vital.descriptors <= found.samples[0].vital.descriptors + CLIENTS + 8


def test_the_requests_reach_every_kind_of_answer(prepared: dict[Kind, list[Ask]]) -> None:
    statuses = {status for ask in prepared["other"] for status in ask.right}
    assert {200, 307, 400, 404, 405, 413, 415, 422} <= statuses
    asked = {ask.wire.split(b" ", 2)[1] for ask in prepared["other"]}
    assert {b"/entries", b"/entries/AMP003", b"/e/AMP003", b"/metrics", b"/livez", b"/unanswered", b"/feedback"} <= asked
    assert all(len(ask.wire) >= 300_000 for ask in prepared["long"])
    assert mixed(prepared, 7, 50) == mixed(prepared, 7, 50)


def test_a_leak_is_seen_and_noise_is_not() -> None:
    def samples(per_request: float) -> list[Sample]:
        noise = (17, -9, 4, -12)
        return [Sample(n * 100, Vital(400_000 + int(n * 100 * per_request) + noise[n % 4], 20, 9)) for n in range(3000)]

    leak, flat = memory_slope(samples(0.05)), memory_slope(samples(0))  # KiB for each request
    assert math.isclose(leak.mib, 100_000 * 0.05 / 1024, rel_tol=0.02)
    assert abs(flat.mib) < 0.05
    assert leak.margin < 0.1
    assert math.isnan(memory_slope([Sample(0, Vital(1, 1, 1))]).mib)


def test_times_are_compared_by_their_tenths() -> None:
    now = time.perf_counter()
    timed = [Timed(now + n, 0.001 if n < 900 else 0.003, "long") for n in range(1000)]
    assert math.isclose(drift(timed), 3.0)
    assert math.isclose(quantile(timed, 0.5), 1.0)
    assert math.isnan(quantile(timed, 0.5, "other"))
