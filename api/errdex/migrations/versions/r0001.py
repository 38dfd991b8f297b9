"""Unanswered errors, lookups by day, and votes."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "unanswered",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("key", sa.String(32), nullable=False, unique=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("type", sa.String(120)),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("first_seen", sa.Date, nullable=False),
        sa.Column("last_seen", sa.Date, nullable=False),
        sa.Column("libraries", sa.JSON, nullable=False),
        sa.Column("versions", sa.JSON, nullable=False),
        sa.Column("languages", sa.JSON, nullable=False),
        sa.Column("nearest", sa.JSON, nullable=False),
        sa.Column("samples", sa.JSON, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("entry", sa.String(16)),
        sa.Column("closed", sa.Date),
    )
    op.create_index("unanswered_by_count", "unanswered", ["count"])
    op.create_index("unanswered_by_last_seen", "unanswered", ["last_seen"])
    op.create_table(
        "unanswered_bucket",
        sa.Column("bucket", sa.String(160), primary_key=True),
        sa.Column("row", sa.Integer, sa.ForeignKey("unanswered.id", ondelete="CASCADE"), primary_key=True),
    )
    op.create_index("ix_unanswered_bucket_row", "unanswered_bucket", ["row"])
    op.create_table(
        "unanswered_day",
        sa.Column("row", sa.Integer, sa.ForeignKey("unanswered.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("day", sa.Date, primary_key=True),
        sa.Column("count", sa.Integer, nullable=False),
    )
    op.create_index("ix_unanswered_day_day", "unanswered_day", ["day"])
    op.create_table(
        "lookup_day",
        sa.Column("day", sa.Date, primary_key=True),
        sa.Column("status", sa.String(16), primary_key=True),
        sa.Column("count", sa.Integer, nullable=False),
    )
    op.create_table(
        "vote",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("request_id", sa.String(64)),
        sa.Column("entry", sa.String(16), nullable=False),
        sa.Column("right", sa.Boolean, nullable=False),
        sa.Column("comment", sa.Text),
        sa.Column("verified", sa.Boolean, nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.UniqueConstraint("request_id", "entry", name="vote_once"),
    )
    op.create_index("vote_by_entry", "vote", ["entry", "id"])
    op.create_index("ix_vote_day", "vote", ["day"])
