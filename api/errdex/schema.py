"""The tables of the store: one model for SQLite and PostgreSQL. Alembic's revisions in `migrations/` lead to it."""

from datetime import date

from sqlalchemy import JSON, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

REVISION = "0001"  # the last of the revisions in migrations/versions


class Base(DeclarativeBase):
    """Base of all tables."""

    type_annotation_map = {dict[str, int]: JSON, dict[str, dict[str, int]]: JSON, dict[str, float]: JSON, list[str]: JSON}  # noqa: RUF012  SQLAlchemy reads it from the class


class UnansweredRow(Base):
    """An error that errdex could not answer, however often it was seen."""

    __tablename__ = "unanswered"
    __table_args__ = (Index("unanswered_by_count", "count"), Index("unanswered_by_last_seen", "last_seen"))

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(32), unique=True)
    kind: Mapped[str] = mapped_column(String(16))
    type: Mapped[str | None] = mapped_column(String(120))
    message: Mapped[str] = mapped_column(Text)
    count: Mapped[int]
    first_seen: Mapped[date]
    last_seen: Mapped[date]
    libraries: Mapped[dict[str, int]]
    versions: Mapped[dict[str, dict[str, int]]]
    languages: Mapped[dict[str, int]]
    nearest: Mapped[dict[str, float]]
    samples: Mapped[list[str]]
    state: Mapped[str] = mapped_column(String(16))
    entry: Mapped[str | None] = mapped_column(String(16))
    closed: Mapped[date | None]


class BucketRow(Base):
    """Where rows that are alike are looked for."""

    __tablename__ = "unanswered_bucket"

    bucket: Mapped[str] = mapped_column(String(160), primary_key=True)
    row: Mapped[int] = mapped_column(ForeignKey("unanswered.id", ondelete="CASCADE"), primary_key=True, index=True)


class UnansweredDay(Base):
    """How often a row was seen on a day."""

    __tablename__ = "unanswered_day"

    row: Mapped[int] = mapped_column(ForeignKey("unanswered.id", ondelete="CASCADE"), primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True, index=True)
    count: Mapped[int]


class LookupDay(Base):
    """How many lookups of a day ended in a status."""

    __tablename__ = "lookup_day"

    day: Mapped[date] = mapped_column(primary_key=True)
    status: Mapped[str] = mapped_column(String(16), primary_key=True)
    count: Mapped[int]


class VoteRow(Base):
    """A reader's word on an entry; one per request and entry."""

    __tablename__ = "vote"
    __table_args__ = (UniqueConstraint("request_id", "entry", name="vote_once"), Index("vote_by_entry", "entry", "id"))

    id: Mapped[int] = mapped_column(primary_key=True)
    request_id: Mapped[str | None] = mapped_column(String(64))
    entry: Mapped[str] = mapped_column(String(16))
    right: Mapped[bool]
    comment: Mapped[str | None] = mapped_column(Text)
    verified: Mapped[bool]
    day: Mapped[date] = mapped_column(index=True)
