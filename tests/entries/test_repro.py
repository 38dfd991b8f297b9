"""The real knowledge is proven: each entry's scripts do what it says."""

from collections.abc import Iterator

import pytest

from errdex.catalog import knowledge_folder, read_entries
from errdex.entry import Entry
from errdex.repro import Runner

ENTRIES = read_entries(knowledge_folder())[0]


@pytest.fixture(scope="session")
def runner() -> Iterator[Runner]:
    """One set of warm processes for all entries."""
    with Runner(knowledge_folder()) as opened:
        yield opened


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES.keys())
def test_the_scripts_do_what_the_entry_says(runner: Runner, entry: Entry) -> None:
    outcome = runner.run(entry)
    if outcome.state in ("skipped", "none"):
        pytest.skip(outcome.reason)
    assert not outcome.failed, outcome.reason
