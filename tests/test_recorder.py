"""Recording: what a lookup hands over is written by a thread, and nothing that befalls the database reaches a lookup."""

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from errdex import recorder as recorder_module
from errdex.errors import StoreError
from errdex.lookup import Lookup
from errdex.models import Answer
from errdex.recorder import Recorder
from errdex.settings import Settings
from errdex.store import Batch, Store, open_store, today
from tests.conftest import ROOT

UNKNOWN = "levers.LeverError: the lever is stuck at 12"
KNOWN = "ValueError: Attempting to unscale FP16 gradients."


@pytest.fixture(scope="module")
def answers(lookup: Lookup) -> tuple[Answer, Answer]:
    return lookup.answer(UNKNOWN, request_id="request-1"), lookup.answer(KNOWN, request_id="request-2")


@pytest.fixture
def chosen(tmp_path: Path) -> Settings:
    return Settings(index=tmp_path / "index")


@pytest.fixture
def recorder(chosen: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorder]:
    monkeypatch.setattr(recorder_module, "_GATHER_SECONDS", 0.0)
    monkeypatch.setattr(recorder_module, "_RETRY_SECONDS", 0.0)
    started = Recorder(chosen)
    started.start()
    yield started
    started.close(30)


def test_lookups_are_counted_and_what_was_unanswered_is_kept(
    recorder: Recorder, chosen: Settings, answers: tuple[Answer, Answer]
) -> None:
    unknown, known = answers
    for _ in range(3):
        recorder.record(unknown, UNKNOWN)
    recorder.record(known, KNOWN)
    assert recorder.flush(60)
    store = open_store(chosen)
    assert store.lookups() == {(today(), "match"): 1, (today(), str(unknown.status)): 3}
    (row,) = store.unanswered()
    assert (row.type, row.message, row.count) == ("LeverError", "the lever is stuck at <n>", 3)
    assert store.unanswered_row(row.id).samples == [UNKNOWN]
    assert (recorder.written, recorder.dropped) == (4, 0)


def test_closing_writes_what_waits(chosen: Settings, answers: tuple[Answer, Answer]) -> None:
    recorder = Recorder(chosen)
    recorder.start()
    recorder.record(answers[1], KNOWN)
    assert recorder.close(60)
    assert open_store(chosen).lookups() == {(today(), "match"): 1}


def test_a_server_that_starts_again_records_again(chosen: Settings, answers: tuple[Answer, Answer]) -> None:
    recorder = Recorder(chosen)
    for _ in range(2):
        recorder.start()
        recorder.record(answers[1], KNOWN)
        assert recorder.close(60)
    assert recorder.written == 2


def test_a_caller_that_gives_every_request_one_id_costs_no_memory(
    recorder: Recorder, answers: tuple[Answer, Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder_module, "_SHOWN", 3)
    for _ in range(10):
        recorder.record(answers[1], KNOWN)
    assert len(recorder._known["request-2"]) == 3


def test_a_vote_is_verified_by_a_lookup_that_showed_the_entry(
    recorder: Recorder, chosen: Settings, answers: tuple[Answer, Answer]
) -> None:
    recorder.record(answers[1], KNOWN)
    for request_id, entry in (("request-2", "AMP003"), ("request-2", "MEM001"), ("request-9", "AMP003"), (None, "AMP003")):
        recorder.vote(entry, right=True, request_id=request_id, comment="by maria@example.org")
    assert recorder.flush(60)
    said = {row.entry: (row.right, row.verified) for row in open_store(chosen).feedback()}
    assert said == {"AMP003": (3, 1), "MEM001": (1, 0)}
    assert open_store(chosen).feedback("AMP003")[0].comments == ["by <email>"] * 3


def test_where_nothing_is_stored_nothing_is_kept(tmp_path: Path, answers: tuple[Answer, Answer]) -> None:
    recorder = Recorder(Settings(index=tmp_path / "index", store="none"))
    recorder.start()
    recorder.record(answers[0], UNKNOWN)
    with pytest.raises(StoreError):
        recorder.vote("AMP003", right=True, request_id=None, comment=None)
    assert recorder.close()
    assert list(tmp_path.iterdir()) == []


def test_the_queue_is_bounded(
    chosen: Settings, lookup: Lookup, answers: tuple[Answer, Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder_module, "_GATHER_SECONDS", 3600.0)
    monkeypatch.setattr(recorder_module, "MAX_WAITING", 5)
    recorder = Recorder(chosen)
    recorder.start()
    for _ in range(7):
        recorder.record(answers[1], KNOWN)
    assert recorder.dropped == 2
    assert recorder.close(60)
    assert recorder.written == 5


def test_whatever_befalls_the_clearing_the_next_lookups_are_written(
    recorder: Recorder, chosen: Settings, answers: tuple[Answer, Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_store: Store, _before: date) -> None:
        raise OverflowError

    monkeypatch.setattr(Store, "prune", fails)
    for _ in range(2):
        recorder.record(answers[1], KNOWN)
        assert recorder.flush(60)
    assert (recorder.written, recorder.dropped) == (2, 0)
    assert recorder.close(60)


def test_a_retention_longer_than_dates_are_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="36500"):
        Settings(index=tmp_path / "index", retention_days=999_999)


def test_lookups_that_only_count_are_written_at_once(
    chosen: Settings, answers: tuple[Answer, Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder_module, "_GATHER_SECONDS", 3600.0)
    transactions: list[Batch] = []
    monkeypatch.setattr(Store, "add", lambda _self, batch: transactions.append(batch))
    recorder = Recorder(chosen)
    recorder.start()
    for _ in range(1000):
        recorder.record(answers[1], KNOWN)
    for _ in range(150):
        recorder.record(answers[0], UNKNOWN)
    assert recorder.close(60)
    assert [(sum(batch.lookups.values()), len(batch.unanswered)) for batch in transactions] == [(1100, 100), (50, 50)]


def test_the_texts_that_wait_are_bounded(
    chosen: Settings, answers: tuple[Answer, Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder_module, "_GATHER_SECONDS", 3600.0)
    recorder = Recorder(chosen)
    recorder.start()
    text = UNKNOWN + " " * (3 << 20)
    for _ in range(4):
        recorder.record(answers[0], text)
        recorder.record(answers[1], text)  # a match keeps no text
    assert recorder.dropped == 2
    assert recorder.close(60)


def lock(path: Path) -> sqlite3.Connection:
    """Another process that writes and does not end."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=0)
    connection.execute("BEGIN IMMEDIATE")
    return connection


def test_a_database_that_hangs_holds_up_neither_a_lookup_nor_the_end(
    recorder: Recorder, chosen: Settings, answers: tuple[Answer, Answer]
) -> None:
    open_store(chosen)
    holder = lock(chosen.index.parent / "errdex.sqlite3")
    started = time.monotonic()
    for _ in range(1000):
        recorder.record(answers[0], UNKNOWN)
    assert not recorder.close(0.5)
    assert time.monotonic() - started < 4  # the database alone waits for five seconds
    holder.close()


def test_what_cannot_be_written_is_counted_and_said_once(
    recorder: Recorder,
    chosen: Settings,
    answers: tuple[Answer, Answer],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("errdex.database._WAIT_SECONDS", 0)
    open_store(chosen)
    holder = lock(chosen.index.parent / "errdex.sqlite3")
    for _ in range(3):
        recorder.record(answers[0], UNKNOWN)
        assert recorder.flush(60)
    assert (recorder.written, recorder.dropped) == (0, 3)
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == [
        "nothing is stored at the moment: The store does not answer (OperationalError); see ERRDEX_STORE. (dropped so far: 1)"
    ]
    holder.close()
    recorder.record(answers[0], UNKNOWN)
    assert recorder.flush(60)
    assert recorder.written == 1


def test_a_database_that_vanishes_is_made_again(recorder: Recorder, chosen: Settings, answers: tuple[Answer, Answer]) -> None:
    recorder.record(answers[1], KNOWN)
    assert recorder.flush(60)
    for path in chosen.index.parent.glob("errdex.sqlite3*"):
        path.unlink()
    recorder.record(answers[0], UNKNOWN)
    assert recorder.flush(60)
    assert (recorder.written, recorder.dropped) == (2, 0)
    assert len(open_store(chosen).unanswered()) == 1


@pytest.mark.parametrize("damage", [b"no database at all " * 400, b""])
def test_a_damaged_database_costs_no_lookup(
    damage: bytes, recorder: Recorder, chosen: Settings, answers: tuple[Answer, Answer]
) -> None:
    (chosen.index.parent / "errdex.sqlite3").write_bytes(damage)
    recorder.record(answers[0], UNKNOWN)
    assert recorder.flush(60)
    assert recorder.written + recorder.dropped == 1
    assert recorder.written == (damage == b"")


def test_what_was_not_seen_for_long_is_deleted_once_a_day(
    recorder: Recorder, chosen: Settings, answers: tuple[Answer, Answer]
) -> None:
    old = today() - timedelta(days=chosen.retention_days + 1)
    open_store(chosen).add(Batch({(old, "match"): 1}, [], []))
    recorder.record(answers[1], KNOWN)
    assert recorder.flush(60)
    assert recorder.close(60)
    assert open_store(chosen).lookups() == {(today(), "match"): 1}


# In a process of its own, with its own limits: a disk that is full, and a folder that cannot be written to.
STARVED = """
import os, resource, signal, sys
from pathlib import Path
from errdex import recorder as module
from errdex.models import Answer
from errdex.recorder import Recorder
from errdex.settings import Settings
from errdex.store import open_store
folder, how, answer = Path(sys.argv[1]), sys.argv[2], Answer.model_validate_json(sys.stdin.read())
module._GATHER_SECONDS = 0
chosen = Settings(index=folder / "index")
open_store(chosen)
if how == "full":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
else:
    for path in (*folder.iterdir(), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    if os.geteuid() == 0:
        os.seteuid(65534)
recorder = Recorder(chosen)
recorder.start()
for number in range(50):
    recorder.record(answer, "levers.LeverError: the lever is stuck")
ended = recorder.close(20)
print(ended, recorder.written, recorder.dropped)
"""


@pytest.mark.parametrize("how", ["full", "read-only"])
def test_a_full_disk_and_a_read_only_one_cost_no_lookup(how: str, tmp_path: Path, answers: tuple[Answer, Answer]) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for above in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        above.chmod(0o755)  # where another user must come through
    done = subprocess.run(
        [sys.executable, "-c", STARVED, str(folder), how],
        input=answers[0].model_dump_json(),
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT / "api")},
        check=False,
    )
    folder.chmod(0o755)
    assert done.stdout.split() == ["True", "0", "50"], done.stderr
    assert "Traceback" not in done.stderr
