"""Opens the store's database, SQLite or PostgreSQL: pragmas, limits, transactions, migrations."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

from errdex.errors import StoreError
from errdex.schema import REVISION

_MIGRATIONS = Path(__file__).parent / "migrations"
_WAIT_SECONDS = 5  # for another writer, and for a server that does not answer
_LOCK = 0x6572726465780001  # PostgreSQL's advisory lock of errdex's writers
_migrating = threading.Lock()  # Alembic keeps its context in a global


@contextmanager
def _reported() -> Iterator[None]:
    """Whatever the database says, without the values and the address that its messages repeat."""
    try:
        yield
    except SQLAlchemyError as error:
        cause = type(getattr(error, "orig", None) or error).__name__
        raise StoreError(f"The store does not answer ({cause}); see ERRDEX_STORE.") from None
    except (ImportError, OSError, ValueError) as error:
        raise StoreError(f"The store cannot be opened ({type(error).__name__}); see ERRDEX_STORE.") from None


def _sqlite_connected(connection: Any, _record: object) -> None:  # noqa: ANN401  the driver's own object
    connection.isolation_level = None  # transactions begin where SQLAlchemy says, not at the first write
    cursor = connection.cursor()
    if cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        # On a read-only file, or while another process does the same, it stays as it is; what matters fails by itself.
        with suppress(connection.OperationalError):
            cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _sqlite_begins(connection: Connection) -> None:
    # A transaction that reads first and writes later cannot wait for another writer; one that says so at once can.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN")


class Database:
    """One database; may be shared by threads. A connection is opened for each transaction: they are few, and far between."""

    def __init__(self, address: str | URL) -> None:
        """Prepare to connect; nothing is opened yet.

        Raises:
            StoreError: the address cannot be read, or its driver is not installed.
        """
        with _reported():
            url = make_url(address)
            self.sqlite = url.get_backend_name() == "sqlite"
            if self.sqlite:
                if url.database:
                    Path(url.database).parent.mkdir(parents=True, exist_ok=True)
                options: dict[str, object] = {"timeout": _WAIT_SECONDS}
            else:
                limits = f"-c statement_timeout={_WAIT_SECONDS}s -c lock_timeout={_WAIT_SECONDS}s"
                options = {"connect_timeout": _WAIT_SECONDS, "options": limits}
            self._engine = create_engine(url, poolclass=NullPool, connect_args=options, hide_parameters=True)
        if self.sqlite:
            event.listen(self._engine, "connect", _sqlite_connected)
            event.listen(self._engine, "begin", _sqlite_begins)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A transaction that only reads.

        Raises:
            StoreError: the database does not answer.
        """
        with _reported(), self._engine.begin() as connection, Session(connection) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction that is the only one writing, among all threads and processes; it waits for its turn.

        Raises:
            StoreError: the database does not answer, takes no writes, or another writer does not end.
        """
        with _reported(), self._writer() as connection, Session(connection) as session:
            yield session
            session.flush()

    @contextmanager
    def _writer(self) -> Iterator[Connection]:
        with self._engine.connect().execution_options(writes=True) as connection, connection.begin():
            if not self.sqlite:
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
            yield connection

    def migrate(self) -> None:
        """Bring the tables to this program's form; several processes may try at once, and one does it.

        Raises:
            StoreError: a newer errdex made the tables, or the database does not answer.
        """
        with _reported():
            with self._engine.begin() as connection:
                if _revision(connection) == REVISION:
                    return
            from alembic import command
            from alembic.config import Config
            from alembic.script import ScriptDirectory

            with _migrating, self._writer() as connection:
                config = Config()
                config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
                config.set_main_option("path_separator", "os")
                known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
                current = _revision(connection)
                if current is not None and current not in known:
                    raise StoreError("A newer errdex made this store; update errdex, or set ERRDEX_STORE to another one.")
                config.attributes["connection"] = connection
                command.upgrade(config, "head")


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return None if found is None else str(found)
