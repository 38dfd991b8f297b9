from datetime import date
from pathlib import Path

from errdex.fingerprint import Fingerprint
from errdex.lookup import Lookup
from errdex.recheck import recheck
from errdex.store import Batch, Store
from errdex.unanswered import Unanswered

DAY = date(2026, 12, 1)
KNOWN = "ValueError: Attempting to unscale FP16 gradients."
UNKNOWN = "levers.LeverError: stuck"


def seen(message: str, sample: str) -> Unanswered:
    return Unanswered(Fingerprint("error", "E", message), DAY, "en", frozenset(), {}, {}, sample)


def test_what_an_entry_matches_by_now_is_marked_and_the_rest_is_not(lookup: Lookup, tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'errdex.sqlite3'}")
    items = [seen("known", KNOWN), seen("unknown", UNKNOWN), seen("mixed", KNOWN), seen("mixed", UNKNOWN), seen("none", "")]
    rows = store.add(Batch({}, items, []))
    assert [(row.id, entry) for row, entry in recheck(store, lookup, DAY)] == [(rows[0], "AMP003")]
    assert {row.id for row in store.unanswered()} == {rows[1], rows[2], rows[4]}
    assert list(recheck(store, lookup, DAY)) == []
