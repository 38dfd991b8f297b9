"""A real server process to put load on."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import errdex as errdex_package

_READY_SECONDS = 120


@dataclass(frozen=True)
class Vital:
    """What a process holds at one moment."""

    rss_kib: int
    descriptors: int
    threads: int


@dataclass(frozen=True)
class Server:
    """A server that answers."""

    port: int
    pid: int

    def vital(self) -> Vital:
        """What it holds now."""
        told = dict(line.split(":", 1) for line in Path(f"/proc/{self.pid}/status").read_text().splitlines() if ":" in line)
        descriptors = len(os.listdir(f"/proc/{self.pid}/fd"))  # noqa: PTH208  names alone, at a tenth of the cost
        return Vital(int(told["VmRSS"].split()[0]), descriptors, int(told["Threads"]))

    def hang_up(self) -> None:
        """Tell it that there is a new index."""
        os.kill(self.pid, signal.SIGHUP)

    def index(self) -> str | None:
        """Content hash of the index that answers; None when it is not ready."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", "/readyz")
            response = connection.getresponse()
            body = response.read()
            return str(json.loads(body)["index"]) if response.status == 200 else None
        except OSError:
            return None
        finally:
            connection.close()


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment_with(settings: Mapping[str, str]) -> dict[str, str]:
    """This process's environment with these settings of errdex and no others: whoever measures may have set some for a service.

    Args:
        settings: variables and their values; nothing is stored unless they name a store.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ERRDEX_")}
    source = str(Path(errdex_package.__file__).resolve().parents[1])
    path = os.pathsep.join(part for part in (source, kept.get("PYTHONPATH", "")) if part)
    return kept | {"PYTHONPATH": path, "ERRDEX_STORE": "none"} | dict(settings)


def status_of(port: int, path: str) -> int:
    """Status of a GET; 0 while nothing listens."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path, headers={"Connection": "close"})
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


@contextmanager
def serving(index: Path, log: Path, settings: Mapping[str, str] | None = None) -> Iterator[Server]:
    """`errdex serve` in a process of its own until the block ends.

    Args:
        index: folder of the index versions.
        log: file for what it prints.
        settings: further environment.

    Raises:
        RuntimeError: it does not become ready, or did not end by itself when told to.
    """
    port = free_port()
    environment = environment_with({"ERRDEX_INDEX": str(index), "ERRDEX_SITE": str(index / "no-site")} | dict(settings or {}))
    command = [sys.executable, "-m", "errdex", "serve", "--port", str(port)]
    with log.open("wb") as printed:
        process = subprocess.Popen(command, env=environment, stdout=printed, stderr=printed)
    server = Server(port, process.pid)
    try:
        start = time.monotonic()
        while server.index() is None:
            if process.poll() is not None or time.monotonic() - start > _READY_SECONDS:
                raise RuntimeError(f"the server did not become ready; see {log}")
            time.sleep(0.05)
        yield server
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise RuntimeError("the server did not end within a minute") from None
