"""Looks up again what could not be answered: after an entry was added, some of it can."""

from collections.abc import Iterator
from datetime import date

from errdex.errors import InputError
from errdex.lookup import Lookup
from errdex.models import Status, UnansweredOut
from errdex.store import MAX_ROWS, Store


def answering(lookup: Lookup, row: UnansweredOut) -> str | None:
    """The entry that matches every sample of a row; None when one of them finds another, or none."""
    found: set[str | None] = set()
    for sample in row.samples:
        try:
            answer = lookup.answer(sample, limit=1)
        except InputError:
            return None
        found.add(answer.results[0].id if answer.status is Status.MATCH else None)
    return next(iter(found)) if len(found) == 1 else None


def recheck(store: Store, lookup: Lookup, day: date) -> Iterator[tuple[UnansweredOut, str]]:
    """Mark every open row that an entry answers by now, and give each with that entry.

    Args:
        store: where the rows are.
        lookup: the index of today.
        day: today, in UTC.
    """
    for summary in store.unanswered(limit=MAX_ROWS):
        row = store.unanswered_row(summary.id)
        if entry := answering(lookup, row):
            store.close_row(row.id, "answered", entry, day)
            yield row, entry
