"""`errdex unanswered`, `errdex stats` and `errdex new --from-unanswered`, as a curator calls them."""

import json
from datetime import date, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from errdex.catalog import load_catalog
from errdex.cli.app import app
from errdex.errors import InputError, StoreError, UnknownEntryError, UnknownRowError
from errdex.fingerprint import Fingerprint, normalized_message
from errdex.models import Vote
from errdex.patterns import compile_pattern
from errdex.settings import Settings
from errdex.store import Batch, Store
from errdex.unanswered import Unanswered
from tests.trees import plant

DAY = date(2026, 12, 1)
LOG = """\
Traceback (most recent call last):
  File "/home/user/env/lib/python3.11/site-packages/torch/levers.py", line 3, in <module>
    main()
levers.LeverError: the lever [red] is stuck at {}
"""


def seen(message: str, sample: str, day: date = DAY) -> Unanswered:
    mark = Fingerprint("error", "LeverError", normalized_message(message))
    return Unanswered(mark, day, "en", frozenset({"torch", "maria"}), {"torch": "2.13.0"}, {"AMP003": 0.41}, sample)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """With three rows; every command finds it by its setting, and a small knowledge folder of its own."""
    address = f"sqlite:///{tmp_path / 'errdex.sqlite3'}"
    for name, value in {"STORE": address, "KB": str(tmp_path / "kb"), "INDEX": str(tmp_path / "index")}.items():
        monkeypatch.setenv(f"ERRDEX_{name}", value)
    monkeypatch.setenv("COLUMNS", "160")
    plant(tmp_path / "kb")
    filled = Store(address)
    before = DAY - timedelta(days=8)
    filled.add(
        Batch(
            {(DAY, "match"): 3, (DAY, "no_match"): 1, (before, "candidates"): 1},
            [
                seen("the lever [red] is stuck at 1", LOG.format(1)),
                seen("the lever [red] is stuck at 12", LOG.format(12)),
                seen("no cogs", "levers.LeverError: no cogs", before),
                seen("no sample", "", before),
            ],
            [Vote(entry="AMP001", right=False, request_id=None, comment="no", verified=False, day=DAY)],
        )
    )
    return filled


def errdex(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_a_table_by_frequency(store: Store) -> None:
    lines = errdex("unanswered").stdout.splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["1", "2"], ["2", "1"], ["3", "1"]]
    assert "LeverError: the lever [red] is stuck at <n>" in lines[1]
    assert "AMP003 0.41" in lines[1]
    assert errdex("unanswered", "--limit", "1", "--since", str(DAY)).stdout.splitlines()[1:] == lines[1:2]
    assert "cogs" in errdex("unanswered", "-q", "cogs").stdout


def test_the_same_as_json(store: Store) -> None:
    assert [row["count"] for row in json.loads(errdex("unanswered", "--json").stdout)] == [2, 1, 1]
    assert json.loads(errdex("unanswered", "1", "--json").stdout)["versions"] == {"torch": {"2.13.0": 2}}


def test_one_of_them_whole(store: Store) -> None:
    out = errdex("unanswered", "1").stdout
    for told in (
        "LeverError: the lever [red] is stuck at <n>",
        "torch: 2.13.0 2",
        "sample 2",
        "is stuck at 12",
        "maria 2, torch 2",
    ):
        assert told in out


def test_a_curator_closes_a_row_and_opens_it_again(store: Store) -> None:
    assert "resolved AMP001" in errdex("unanswered", "1", "--resolve", "lever-is-stuck").stdout
    assert [row.id for row in store.unanswered()] == [2, 3]
    assert "resolved AMP001" in errdex("unanswered", "--all").stdout
    assert "open" in errdex("unanswered", "1", "--reopen").stdout
    assert [row.id for row in store.unanswered()] == [1, 2, 3]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("unanswered", "99"), UnknownRowError),
        (("unanswered", "1", "--resolve", "XYZ999"), UnknownEntryError),
        (("new", "amp", "a-lever", "--source", "https://example.org", "--from-unanswered", "99"), UnknownRowError),
        (("new", "amp", "a-lever", "--source", "https://example.org", "--from-unanswered", "3"), InputError),
    ],
)
def test_what_is_not_there_is_one_clear_error(arguments: tuple[str, ...], error: type[Exception], store: Store) -> None:
    assert isinstance(errdex(*arguments).exception, error)


def test_to_close_a_row_its_number_is_needed(store: Store) -> None:
    assert errdex("unanswered", "--resolve", "AMP001").exit_code == 2


def test_where_nothing_is_stored_it_says_so(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRDEX_STORE", "none")
    assert isinstance(errdex("stats").exception, StoreError)


def test_statistics_by_week(store: Store) -> None:
    out = errdex("stats").stdout
    assert "75.0%" in out
    assert "AMP001  0      1" in out
    told = json.loads(errdex("stats", "--json").stdout)
    assert [(week["monday"], week["coverage"]) for week in told["weeks"]] == [("2026-11-23", 0.0), ("2026-11-30", 0.75)]
    assert told["feedback"][0]["comments"] == ["no"]


def test_a_draft_begins_from_what_is_stored(store: Store) -> None:
    done = errdex("new", "amp", "lever-is-red", "--source", "https://example.org/a", "--from-unanswered", "1")
    assert done.exit_code == 0, done.output
    entry = load_catalog(Settings().kb).get("lever-is-red")
    assert (entry.id, entry.exceptions, entry.products) == ("AMP002", ["LeverError"], ["torch"])
    assert sorted(entry.samples) == ["hit-report-2.txt", "hit-report.txt"]
    assert all(compile_pattern(entry.signature[0].pattern).search(sample) for sample in entry.samples.values())
