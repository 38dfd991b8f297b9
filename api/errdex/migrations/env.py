"""What Alembic runs: the revisions, on the connection that `database` has opened and locked."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
