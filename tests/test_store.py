"""The store, by one contract for both databases."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, text

from errdex import store as store_module
from errdex.errors import StoreError, UnknownRowError
from errdex.fingerprint import Fingerprint, normalized_message
from errdex.models import Vote
from errdex.schema import REVISION, Base
from errdex.settings import Settings
from errdex.store import Batch, Store, open_store, store_address
from errdex.unanswered import Unanswered
from tests.conftest import ROOT
from tests.postgres import postgres_server

DAY = date(2026, 12, 1)
GEARS = "the gearbox of the lever could not be found on the second floor"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres_server() as address:
        yield address


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'errdex.sqlite3'}"
    server = str(request.getfixturevalue("server"))
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()
    return server


def unseen(message: str, day: date = DAY, name: str | None = "LeverError", **changes: object) -> Unanswered:
    fields: dict[str, object] = {
        "fingerprint": Fingerprint("error" if name else "question", name, normalized_message(message)),
        "day": day,
        "lang": "en",
        "libraries": frozenset({"torch"}),
        "versions": {"torch": "2.13.0"},
        "nearest": {"AMP003": 0.4},
        "sample": f"LeverError: {message}",
    }
    return Unanswered(**(fields | changes))  # type: ignore[arg-type]  # one table of fields


def batch(*items: Unanswered, votes: tuple[Vote, ...] = (), **lookups: int) -> Batch:
    return Batch({(DAY, status): count for status, count in lookups.items()}, items, votes)


def vote(request_id: str | None = "request-1", entry: str = "AMP003", *, right: bool = True, **changes: object) -> Vote:
    fields = {"entry": entry, "right": right, "request_id": request_id, "comment": None, "verified": False, "day": DAY}
    return Vote.model_validate(fields | changes)


def test_one_error_of_many_runs_is_one_row(address: str) -> None:
    store = Store(address)
    later = DAY + timedelta(days=2)
    store.add(batch(unseen("no gear 3 in /data/a/b/c.bin at 0x7f32"), unseen("no gear 4 in /srv/x/y/z.bin at 0x1111")))
    (first,) = store.add(batch(unseen("No gear 12 in /tmp/q/r/s.bin at 0xffff", later, lang="zh-TW", nearest={"AMP003": 0.7})))
    (row,) = store.unanswered()
    assert (row.id, row.type, row.count, row.first_seen, row.last_seen) == (first, "LeverError", 3, DAY, later)
    assert row.message == "no gear <n> in <path>.bin at <hex>"
    assert (row.libraries, row.nearest) == ({"torch": 3}, {"AMP003": 0.7})
    whole = store.unanswered_row(row.id)
    assert whole.versions == {"torch": {"2.13.0": 3}}
    assert whole.languages == {"en": 2, "zh-TW": 1}
    assert whole.days == {DAY: 2, later: 1}
    assert len(whole.samples) == 3


def test_nearly_the_same_words_are_the_same_error_and_others_are_not(address: str) -> None:
    store = Store(address)
    near, far, other = (
        GEARS + " today",
        GEARS.replace("gearbox of the lever", "handle of a crank"),
        unseen(GEARS, name="KeyError"),
    )
    rows = store.add(batch(unseen(GEARS), unseen(near), unseen(far), other))
    assert rows[0] == rows[1]
    assert len(set(rows)) == 3
    assert store.add(batch(unseen(near))) == rows[:1]


def test_the_most_frequent_comes_first_then_the_newest_then_the_lowest_number(address: str) -> None:
    store = Store(address)
    old, new = unseen("cogs", DAY - timedelta(days=9)), unseen("wheels")
    rows = store.add(batch(old, new, unseen("bolts"), unseen("pins"), unseen("pins")))
    assert [row.id for row in store.unanswered()] == [rows[3], rows[1], rows[2], rows[0]]
    assert [row.id for row in store.unanswered(limit=1)] == [rows[3]]
    assert [row.message for row in store.unanswered(words="WHEEL")] == ["wheels"]
    assert [row.message for row in store.unanswered(words="leverERR")] == ["pins", "wheels", "bolts", "cogs"]
    assert store.unanswered(words="%") == []


def test_since_a_day_only_what_was_seen_since_counts(address: str) -> None:
    store = Store(address)
    before = DAY - timedelta(days=1)
    store.add(batch(unseen("cogs", before), unseen("cogs", before), unseen("cogs"), unseen("pins"), unseen("pins")))
    assert [(row.message, row.count) for row in store.unanswered()] == [("cogs", 3), ("pins", 2)]
    assert [(row.message, row.count) for row in store.unanswered(since=DAY)] == [("pins", 2), ("cogs", 1)]
    assert store.unanswered(since=DAY + timedelta(days=1)) == []


def test_samples_are_few_and_distinct(address: str) -> None:
    store = Store(address)
    (row,) = set(store.add(batch(*(unseen("cogs", sample=f"sample {number // 2}") for number in range(12)))))
    assert store.unanswered_row(row).samples == ["sample 0", "sample 1", "sample 2"]


def test_a_closed_row_is_out_of_the_way_until_the_error_comes_back(address: str) -> None:
    store = Store(address)
    (row,) = store.add(batch(unseen("cogs")))
    store.close_row(row, "resolved", "AMP003", DAY)
    store.add(batch(unseen("cogs")))  # a server that has not taken up the new index yet
    assert store.unanswered() == []
    assert [(found.state, found.entry) for found in store.unanswered(closed=True)] == [("resolved", "AMP003")]
    store.add(batch(unseen("cogs", DAY + timedelta(days=1))))
    assert [found.state for found in store.unanswered()] == ["open"]


@pytest.mark.parametrize("number", [0, -1, 99, 1 << 80])
def test_a_number_without_a_row_is_said_so(number: int, address: str) -> None:
    with pytest.raises(UnknownRowError):
        Store(address).unanswered_row(number)


def test_lookups_are_counted_by_day_and_status(address: str) -> None:
    store = Store(address)
    store.add(batch(match=2, no_match=1))
    store.add(batch(match=3))
    assert store.lookups() == {(DAY, "match"): 5, (DAY, "no_match"): 1}
    assert store.lookups(DAY + timedelta(days=1)) == {}


def test_one_vote_per_request_and_entry(address: str) -> None:
    store = Store(address)
    store.add(batch(votes=(vote(), vote(right=False, verified=True, comment="too short"), vote("request-2"))))
    store.add(batch(votes=(vote(None), vote(None), vote(entry="MEM001"), vote("request-2", right=False, comment="no"))))
    said = {row.entry: (row.right, row.wrong, row.verified, row.comments) for row in store.feedback()}
    assert said == {"AMP003": (2, 2, 1, ["no", "too short"]), "MEM001": (1, 0, 0, [])}
    assert [row.entry for row in store.feedback()] == ["AMP003", "MEM001"]
    assert [row.entry for row in store.feedback("MEM001")] == ["MEM001"]


def test_what_was_not_seen_for_long_goes(address: str) -> None:
    store = Store(address)
    old = DAY - timedelta(days=200)
    seen = (unseen(GEARS, old), unseen("wheels", old), unseen("wheels"))
    store.add(Batch({(old, "match"): 1, (DAY, "match"): 1}, seen, (vote(day=old), vote("request-2"))))
    assert store.prune(DAY - timedelta(days=180)) == 1
    (kept,) = store.unanswered()
    assert (kept.message, store.unanswered_row(kept.id).days) == ("wheels", {DAY: 1})
    assert store.lookups() == {(DAY, "match"): 1}
    assert store.feedback()[0].right == 1
    store.add(batch(unseen(GEARS)))  # nothing of the old row is in the way
    assert len(store.unanswered()) == 2


def test_a_flood_of_invented_errors_is_bounded(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "MAX_ROWS", 20)
    store = Store(address)
    store.add(batch(unseen("known cogs"), unseen("known cogs")))
    for number in range(40):
        store.add(batch(unseen(f"invented{chr(97 + number % 26)}{'x' * (number // 26)}")))
    rows = store.unanswered(limit=200)
    assert len(rows) <= 20
    assert rows[0].message == "known cogs"


def test_a_flood_of_votes_is_bounded(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "MAX_VOTES", 20)
    store = Store(address)
    for _ in range(3):
        store.add(batch(votes=(vote(None),) * 15))
    assert [row.right for row in store.feedback()] == [20]


def test_characters_that_a_database_does_not_take_do_no_harm(address: str) -> None:
    store = Store(address)
    (row,) = store.add(batch(unseen("显存不足，请问怎么办？ 🚂", name=None, sample="🚂 顯示記憶體")))
    assert store.unanswered_row(row).samples == ["🚂 顯示記憶體"]
    assert store.unanswered(words="显存")[0].id == row


def test_the_migrations_lead_to_the_model(address: str) -> None:
    Store(address)
    engine = create_engine(address)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
        assert context.get_current_revision() == REVISION
    engine.dispose()
    assert ScriptDirectory(str(ROOT / "api" / "errdex" / "migrations")).get_current_head() == REVISION


def test_a_store_of_a_newer_errdex_is_refused(address: str) -> None:
    Store(address)
    engine = create_engine(address)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    with pytest.raises(StoreError, match="newer errdex"):
        Store(address)


OPEN_AND_ADD = """
import sys
from datetime import date
from errdex.store import Batch, Store
store = Store(sys.argv[1])
for _ in range(5):
    store.add(Batch({(date(2026, 12, 1), "match"): 1}, [], []))
"""


def test_processes_that_begin_together_make_the_tables_once_and_lose_no_count(address: str) -> None:
    command = [sys.executable, "-c", OPEN_AND_ADD, address]
    running = [subprocess.Popen(command, cwd=ROOT / "api", stderr=subprocess.PIPE, text=True) for _ in range(2)]
    ended = [(process.communicate()[1], process.returncode) for process in running]
    assert ended == [("", 0)] * 2
    assert Store(address).lookups() == {(DAY, "match"): 10}


def test_threads_lose_no_count(address: str) -> None:
    store = Store(address)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: store.add(batch(unseen("cogs"), match=1)), range(12)))
    assert store.lookups() == {(DAY, "match"): 12}
    assert store.unanswered()[0].count == 12


@pytest.mark.parametrize(
    "wrong",
    [
        "no address",
        "postgresql+psycopg://maria:s3cret-word@db:port/x",
        "sqlite:////proc/none/errdex.sqlite3",
        "postgresql+psycopg://maria:s3cret-word@127.0.0.1:1/x",
        "nosuch://x",
    ],
)
def test_a_store_that_cannot_be_used_is_one_clear_error_without_its_address(wrong: str) -> None:
    with pytest.raises(StoreError) as refused:
        open_store(Settings(store=wrong))
    assert "ERRDEX_STORE" in refused.value.detail
    assert "s3cret" not in refused.value.detail


def test_a_file_beside_the_index_unless_it_is_set_otherwise(tmp_path: Path) -> None:
    assert str(store_address(Settings(index=tmp_path / "index"))) == f"sqlite:///{tmp_path / 'errdex.sqlite3'}"
    assert store_address(Settings(store="sqlite:///x")) == "sqlite:///x"
    with pytest.raises(StoreError, match="none"):
        store_address(Settings(store="none"))
