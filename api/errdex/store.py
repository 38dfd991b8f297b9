"""What errdex learns from its use: what it could not answer, how many lookups it could, and what readers say of an entry."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Literal

from sqlalchemy import ColumnElement, case, delete, func, or_, select
from sqlalchemy.engine import URL
from sqlalchemy.orm import Session

from errdex.database import Database
from errdex.errors import StoreError, UnknownRowError
from errdex.fingerprint import ALIKE, Fingerprint
from errdex.models import FeedbackOut, UnansweredOut, UnansweredSummary, Vote
from errdex.schema import BucketRow, LookupDay, UnansweredDay, UnansweredRow, VoteRow
from errdex.settings import Settings
from errdex.unanswered import Unanswered

State = Literal["open", "resolved", "answered"]

MAX_ROWS = 20_000  # unanswered errors that are kept; beyond that the rarest go
MAX_VOTES = 200_000
SAMPLES = 3
_COUNTED = 30  # libraries, versions and entries that one row counts
_LOOKED_AT = 200  # rows of shared buckets that a new message is compared with
_COMMENTS = 5


@dataclass(frozen=True)
class Batch:
    """What is written at once.

    Attributes:
        lookups: how many lookups of a day ended in a status.
        unanswered: what could not be answered, one by one.
        votes: readers' words.
    """

    lookups: Mapping[tuple[date, str], int]
    unanswered: Sequence[Unanswered]
    votes: Sequence[Vote]


def today() -> date:
    """The day in UTC, by which everything here is counted."""
    return datetime.now(UTC).date()


def store_address(settings: Settings) -> str | URL:
    """Where the store is.

    Raises:
        StoreError: it is switched off.
    """
    if not settings.stores:
        raise StoreError("Nothing is stored here: ERRDEX_STORE is `none`.")
    return settings.store or URL.create("sqlite", database=str(settings.index.parent / "errdex.sqlite3"))


def open_store(settings: Settings) -> "Store":
    """The store, its tables in this program's form.

    Raises:
        StoreError: it is switched off, does not answer, or a newer errdex made it.
    """
    return Store(store_address(settings))


class Store:
    """Reads and writes the store; may be shared by threads."""

    def __init__(self, address: str | URL) -> None:
        self._database = Database(address)
        self._database.migrate()

    def add(self, batch: Batch) -> list[int]:
        """Write a batch in one transaction.

        Returns:
            For each unanswered text the number of its row.

        Raises:
            StoreError: the database does not take it; then nothing of it is written.
        """
        with self._database.writing() as session:
            _count_lookups(session, batch.lookups)
            rows = {same[0].fingerprint.key: _add_unanswered(session, same) for same in _by_key(batch.unanswered)}
            for vote in batch.votes:
                _add_vote(session, vote)
            if rows:
                _keep_most_frequent(session)
            if batch.votes:
                _keep_last_votes(session)
            return [rows[item.fingerprint.key] for item in batch.unanswered]

    def unanswered(
        self, limit: int = 20, since: date | None = None, words: str = "", *, closed: bool = False
    ) -> list[UnansweredSummary]:
        """What could not be answered, the most frequent first; ties by the last sighting, then by id.

        Args:
            limit: how many at most.
            since: count sightings from this day on only.
            words: part of a type or a message.
            closed: also what a curator resolved, or what an entry answers by now.
        """
        wanted = _wanted(words, closed=closed)
        seen: ColumnElement[int] = UnansweredRow.count.expression
        found = select(UnansweredRow, seen)
        if since is not None:
            counted = (
                select(UnansweredDay.row, func.sum(UnansweredDay.count).label("seen"))
                .where(UnansweredDay.day >= since)
                .group_by(UnansweredDay.row)
                .subquery()
            )
            seen = counted.c.seen
            found = select(UnansweredRow, seen).join(counted, counted.c.row == UnansweredRow.id)
        ordered = found.where(*wanted).order_by(seen.desc(), UnansweredRow.last_seen.desc(), UnansweredRow.id).limit(limit)
        with self._database.reading() as session:
            return [_summary(row, int(times)) for row, times in session.execute(ordered)]

    def unanswered_row(self, number: int) -> UnansweredOut:
        """One of them, whole.

        Raises:
            UnknownRowError: there is none of this number.
        """
        with self._database.reading() as session:
            row = _row(session, number)
            days = session.execute(select(UnansweredDay).where(UnansweredDay.row == number).order_by(UnansweredDay.day)).scalars()
            return UnansweredOut(
                **_summary(row, row.count).model_dump(),
                languages=row.languages,
                versions=row.versions,
                samples=row.samples,
                days={day.day: day.count for day in days},
            )

    def close_row(self, number: int, state: State, entry: str | None, day: date) -> None:
        """Mark a row as resolved by a curator, as answered by an entry, or as open again.

        Raises:
            UnknownRowError: there is none of this number.
        """
        with self._database.writing() as session:
            row = _row(session, number)
            row.state, row.entry, row.closed = state, entry, None if state == "open" else day

    def lookups(self, since: date | None = None) -> dict[tuple[date, str], int]:
        """How many lookups of a day ended in a status, from a day on."""
        found = select(LookupDay).order_by(LookupDay.day, LookupDay.status)
        if since is not None:
            found = found.where(LookupDay.day >= since)
        with self._database.reading() as session:
            return {(row.day, row.status): row.count for row in session.scalars(found)}

    def feedback(self, entry: str | None = None) -> list[FeedbackOut]:
        """What readers said, per entry: those with the most said wrong first, ties by id."""
        right, wrong = (func.sum(case((VoteRow.right.is_(side), 1), else_=0)) for side in (True, False))
        verified = func.sum(case((VoteRow.verified.is_(True), 1), else_=0))
        found = select(VoteRow.entry, right, wrong, verified).group_by(VoteRow.entry).order_by(wrong.desc(), VoteRow.entry)
        if entry is not None:
            found = found.where(VoteRow.entry == entry)
        with self._database.reading() as session:
            return [
                FeedbackOut(entry=name, right=int(yes), wrong=int(no), verified=int(sure), comments=_comments(session, name))
                for name, yes, no, sure in session.execute(found).all()
            ]

    def prune(self, before: date) -> int:
        """Delete what was seen for the last time before a day.

        Returns:
            How many unanswered errors went.
        """
        with self._database.writing() as session:
            gone = session.scalars(
                delete(UnansweredRow).where(UnansweredRow.last_seen < before).returning(UnansweredRow.id)
            ).all()
            session.execute(delete(UnansweredDay).where(UnansweredDay.day < before))
            session.execute(delete(LookupDay).where(LookupDay.day < before))
            session.execute(delete(VoteRow).where(VoteRow.day < before))
            return len(gone)


def _wanted(words: str, *, closed: bool) -> list[ColumnElement[bool]]:
    wanted: list[ColumnElement[bool]] = [] if closed else [UnansweredRow.state == "open"]
    if words:
        columns = (
            func.lower(column).contains(words.lower(), autoescape=True) for column in (UnansweredRow.message, UnansweredRow.type)
        )
        wanted.append(or_(*columns))
    return wanted


def _row(session: Session, number: int) -> UnansweredRow:
    found = session.get(UnansweredRow, number) if 0 < number < 1 << 31 else None
    if found is None:
        raise UnknownRowError("No unanswered error has this number; `GET /unanswered` lists them.", field="id")
    return found


def _summary(row: UnansweredRow, seen: int) -> UnansweredSummary:
    return UnansweredSummary(
        id=row.id,
        kind=row.kind,
        type=row.type,
        message=row.message,
        count=seen,
        first_seen=row.first_seen,
        last_seen=row.last_seen,
        libraries=row.libraries,
        nearest=row.nearest,
        state=row.state,
        entry=row.entry,
    )


def _count_lookups(session: Session, lookups: Mapping[tuple[date, str], int]) -> None:
    for (day, status), count in sorted(lookups.items()):
        row = session.get(LookupDay, (day, status))
        if row is None:
            session.add(LookupDay(day=day, status=status, count=count))
        else:
            row.count += count


def _by_key(seen: Iterable[Unanswered]) -> list[list[Unanswered]]:
    """Those of one error together."""
    groups: dict[str, list[Unanswered]] = {}
    for item in seen:
        groups.setdefault(item.fingerprint.key, []).append(item)
    return list(groups.values())


def _same_error(session: Session, mark: Fingerprint) -> UnansweredRow | None:
    """The row of this error: the one of its key, else the one most alike."""
    exact = session.scalar(select(UnansweredRow).where(UnansweredRow.key == mark.key))
    if exact is not None or not mark.buckets:
        return exact
    shared = select(BucketRow.row).where(BucketRow.bucket.in_(mark.buckets))
    near = select(UnansweredRow.id, UnansweredRow.type, UnansweredRow.message).where(UnansweredRow.id.in_(shared))
    best, found = ALIKE, None
    for number, name, message in session.execute(near.order_by(UnansweredRow.count.desc(), UnansweredRow.id).limit(_LOOKED_AT)):
        share = mark.alike(Fingerprint(mark.kind, name, message))  # a bucket holds one kind only
        if share > best or (share >= ALIKE and found is None):
            best, found = share, number
    return None if found is None else session.get(UnansweredRow, found)


def _add_unanswered(session: Session, same: Sequence[Unanswered]) -> int:
    """Count sightings of one error in its row, made when there is none; returns the row's number."""
    mark, days = same[0].fingerprint, [item.day for item in same]
    row = _same_error(session, mark)
    if row is None:
        row = UnansweredRow(key=mark.key, kind=mark.kind, type=mark.type, message=mark.message, count=0, state="open")
        row.first_seen, row.last_seen = min(days), max(days)
        row.libraries, row.versions, row.languages, row.nearest, row.samples = {}, {}, {}, {}, []
        session.add(row)
        session.flush()
        session.add_all(BucketRow(bucket=bucket, row=row.id) for bucket in dict.fromkeys(mark.buckets))
    row.count += len(same)
    row.first_seen, row.last_seen = min([row.first_seen, *days]), max([row.last_seen, *days])
    if row.closed is not None and row.last_seen > row.closed:
        row.state, row.closed = "open", None  # it came back
    row.libraries = _counted(row.libraries, (name for item in same for name in item.libraries))
    row.languages = _counted(row.languages, (item.lang for item in same))
    row.versions = _versions(row.versions, same)
    row.nearest = _nearest(row.nearest, same)
    samples = list(dict.fromkeys([*row.samples, *(item.sample for item in same if item.sample)]))
    row.samples = samples[:SAMPLES]
    for day, count in sorted(Counter(days).items()):
        found = session.get(UnansweredDay, (row.id, day))
        if found is None:
            session.add(UnansweredDay(row=row.id, day=day, count=count))
        else:
            found.count += count
    return row.id


def _most(counts: Mapping[str, int]) -> dict[str, int]:
    """The most frequent, ties by name; the rest is not kept."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_COUNTED])


def _counted(counts: Mapping[str, int], names: Iterable[str]) -> dict[str, int]:
    return _most(Counter(counts) + Counter(names))


def _versions(known: Mapping[str, Mapping[str, int]], same: Sequence[Unanswered]) -> dict[str, dict[str, int]]:
    merged = {name: Counter(counts) for name, counts in known.items()}
    for item in same:
        for name, version in item.versions.items():
            if name in merged or len(merged) < _COUNTED:
                merged.setdefault(name, Counter())[version] += 1
    return {name: _most(counts) for name, counts in sorted(merged.items())}


def _nearest(known: Mapping[str, float], same: Sequence[Unanswered]) -> dict[str, float]:
    """The entries that came nearest, each with the highest confidence it had."""
    merged = dict(known)
    for item in same:
        for name, confidence in item.nearest.items():
            merged[name] = max(confidence, merged.get(name, 0.0))
    return dict(sorted(merged.items(), key=lambda item: (-item[1], item[0]))[:_COMMENTS])


def _keep_most_frequent(session: Session) -> None:
    """A flood of invented errors must not fill the disk: above the limit the rarest and oldest tenth goes."""
    if (session.scalar(select(func.count()).select_from(UnansweredRow)) or 0) > MAX_ROWS:
        rarest = select(UnansweredRow.id).order_by(UnansweredRow.count, UnansweredRow.last_seen, UnansweredRow.id)
        gone = session.scalars(rarest.limit(MAX_ROWS // 10)).all()
        session.execute(delete(UnansweredRow).where(UnansweredRow.id.in_(gone)))


def _keep_last_votes(session: Session) -> None:
    """A flood of votes must not fill the disk either."""
    last = session.scalar(select(func.max(VoteRow.id))) or 0
    session.execute(delete(VoteRow).where(VoteRow.id <= last - MAX_VOTES))


def _add_vote(session: Session, vote: Vote) -> None:
    """A later word of the same request on the same entry takes the place of the first."""
    row = None
    if vote.request_id is not None:
        same = (VoteRow.request_id == vote.request_id, VoteRow.entry == vote.entry)
        row = session.scalar(select(VoteRow).where(*same))
    if row is None:
        row = VoteRow(request_id=vote.request_id, entry=vote.entry)
        session.add(row)
    row.right, row.comment, row.verified, row.day = vote.right, vote.comment, vote.verified, vote.day
    session.flush()


def _comments(session: Session, entry: str) -> list[str]:
    said = select(VoteRow.comment).where(VoteRow.entry == entry, VoteRow.comment.is_not(None)).order_by(VoteRow.id.desc())
    return [comment for comment in session.scalars(said.limit(_COMMENTS)) if comment]
