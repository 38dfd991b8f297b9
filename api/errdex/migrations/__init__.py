"""Revisions of the store's tables, which Alembic runs in order when the store is opened."""
