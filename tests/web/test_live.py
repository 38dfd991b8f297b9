"""The index of a running server: what is taken up, what is refused, and when it is read at all."""

import gc
import os
import threading
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from bench.faults.samples import LOG, edition, title
from errdex.encoder import Encoder
from errdex.errors import IndexNotReadyError
from errdex.index import Index, save_index
from errdex.settings import Settings
from errdex.web import live as module
from errdex.web.app import create_app
from errdex.web.live import Live


@pytest.fixture(scope="module")
def editions(encoder: Encoder) -> tuple[Index, Index]:
    return edition(0, encoder), edition(1, encoder)


@pytest.fixture
def live(tmp_path: Path, editions: tuple[Index, Index]) -> Live:
    save_index(editions[0], tmp_path)
    live = Live(Settings(index=tmp_path, model="none"))
    assert live.reload()
    return live


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was read of the index since."""
    done: list[str] = []

    def noted(name: str, call: Callable[..., object]) -> Callable[..., object]:
        def read(*given: object) -> object:
            done.append(name)
            return call(*given)

        return read

    for name in ("load_index", "read_version"):
        monkeypatch.setattr(module, name, noted(name, getattr(module, name)))
    return done


def shown(live: Live) -> str:
    return live.lookup.answer(LOG, lang="en").results[0].title


def damage(version: Path) -> None:
    path = version / "vectors.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def test_before_there_is_an_index_the_reason_is_told(tmp_path: Path, editions: tuple[Index, Index]) -> None:
    live = Live(Settings(index=tmp_path, model="none"))
    assert not live.reload()
    with pytest.raises(IndexNotReadyError, match="There is no index yet"):
        _ = live.lookup
    save_index(editions[0], tmp_path)
    assert live.reload()
    assert (shown(live), live.refused) == (title(0), None)


def test_a_newer_index_is_taken_up_once(live: Live, editions: tuple[Index, Index], reads: list[str]) -> None:
    assert not live.reload()
    assert reads == []
    save_index(editions[1], live.root)
    assert live.reload()
    assert not live.reload()
    assert reads == ["load_index"]
    assert shown(live) == title(1)


class Knot:
    """Refers to itself, as the rests of some requests do: only the collector takes it away."""

    def __init__(self) -> None:
        self.itself = self


def test_what_requests_leave_for_the_collector_goes_after_a_reload(live: Live, editions: tuple[Index, Index]) -> None:
    save_index(editions[1], live.root)
    gc.disable()
    try:
        knot = weakref.ref(Knot())
        assert live.reload()
        assert knot() is not None
        gc.collect()
        assert knot() is None
    finally:
        gc.enable()


def test_a_damaged_index_is_refused_once_and_the_old_one_serves(
    live: Live, editions: tuple[Index, Index], reads: list[str]
) -> None:
    damage(save_index(editions[1], live.root))
    for _ in range(5):
        assert not live.reload()
    assert reads == ["load_index"]
    assert shown(live) == title(0)
    assert live.refused is not None
    assert "vectors.npy" in live.refused
    assert str(live.root) not in live.refused
    save_index(editions[1], live.root)
    assert live.reload()
    assert shown(live) == title(1)
    assert not live.refused


def test_asked_to_a_refused_index_is_read_again(live: Live, editions: tuple[Index, Index]) -> None:
    version = save_index(editions[1], live.root)
    damage(version)
    assert not live.reload()
    damage(version)  # the same bit, back
    assert not live.reload()
    assert live.recheck()
    assert (shown(live), live.refused) == (title(1), None)


def test_asked_to_the_index_that_serves_is_checked_again(live: Live, reads: list[str]) -> None:
    lookup = live.lookup
    assert not live.recheck()
    assert (reads, live.refused) == (["read_version"], None)
    version = next(live.root.glob("v-*"))
    damage(version)
    assert not live.recheck()
    assert live.refused is not None
    damage(version)
    assert not live.recheck()
    assert live.refused is None
    assert live.lookup is lookup


def test_when_the_index_is_gone_the_last_one_serves(live: Live, reads: list[str]) -> None:
    (live.root / "current").unlink()
    for _ in range(3):
        assert not live.reload()
    assert live.refused == "There is no index yet; run `errdex index`."
    assert shown(live) == title(0)
    assert len(reads) <= 1


def test_an_index_of_another_model_is_refused(
    tmp_path: Path, editions: tuple[Index, Index], encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Renamed:
        name, dimension, encode = "another", encoder.dimension, encoder.encode

    monkeypatch.setattr(module, "load_encoder", lambda model: Renamed())
    save_index(editions[0], tmp_path)
    live = Live(Settings(index=tmp_path))
    assert not live.reload()
    with pytest.raises(IndexNotReadyError, match="this server uses another"):
        _ = live.lookup


def test_reloads_at_the_same_time_load_once(live: Live, editions: tuple[Index, Index], reads: list[str]) -> None:
    save_index(editions[1], live.root)
    together = threading.Barrier(8)
    taken: list[bool] = []

    def reload() -> None:
        together.wait()
        taken.append(live.reload())

    threads = [threading.Thread(target=reload) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (sorted(taken), reads) == ([False] * 7 + [True], ["load_index"])


def test_readiness_names_what_serves_and_why_another_does_not(tmp_path: Path, editions: tuple[Index, Index]) -> None:
    save_index(editions[0], tmp_path)
    app = create_app(Settings(index=tmp_path, site=tmp_path / "none", model="none"))
    with TestClient(app) as running:
        serving = running.get("/readyz").json()
        assert serving.keys() == {"status", "index", "entries"}
        damage(save_index(editions[1], tmp_path))
        app.state.live.reload()
        answer = running.get("/readyz")
        assert (answer.status_code, answer.json()) == (200, serving | {"refused": app.state.live.refused})
        assert running.post("/lookup", json={"traceback": LOG}).json()["index"] == serving["index"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_an_index_that_may_not_be_read_is_refused(live: Live, editions: tuple[Index, Index]) -> None:
    version = save_index(editions[1], live.root)
    (version / "vectors.npy").chmod(0)
    assert not live.reload()
    assert "Permission denied" in str(live.refused)
    assert shown(live) == title(0)
