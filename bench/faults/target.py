"""A real server to be tried: started as a process of its own, watched from outside."""

import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.load.server import environment_with, free_port, status_of

READY_SECONDS = 300
MIB = 1 << 20


@dataclass
class Growth:
    """What `Target.growth` has measured, once it has ended."""

    mebibytes: float = 0


class Process(subprocess.Popen[bytes]):
    """A process of a server.

    Attributes:
        started: set once it says that it serves.
    """

    def __init__(self, command: list[str], environment: dict[str, str], descriptors: tuple[int, ...]) -> None:
        super().__init__(
            command,
            env=environment,
            pass_fds=descriptors,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self.started = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.stderr is not None
        with self.stderr as log:
            for line in log:
                if b"startup complete" in line:
                    self.started.set()


class Target:
    """One server process.

    Attributes:
        port: where it listens.
        process: the process.
    """

    def __init__(self, port: int, process: Process) -> None:
        self.port = port
        self.process = process

    def memory(self, which: str = "VmRSS") -> float:
        """Resident memory in MiB; `VmHWM` for its highest value so far."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        line = next(line for line in status.splitlines() if line.startswith(which))
        return int(line.split()[1]) / 1024

    @contextmanager
    def growth(self) -> "Iterator[Growth]":
        """How far memory rises above what it is now, at its highest."""
        growth = Growth()
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
        before = self.memory()
        yield growth
        growth.mebibytes = self.memory("VmHWM") - before


def wait_ready(port: int, process: Process) -> None:
    """Wait until a server answers `/readyz`.

    Raises:
        RuntimeError: it ended, or took too long.
    """
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with {process.returncode}")
        if status_of(port, "/readyz") == 200:
            return
        time.sleep(0.02)
    raise RuntimeError("the server did not become ready")


def start(port: int, settings: Mapping[str, str], listener: socket.socket | None = None) -> Process:
    """Start `errdex serve`.

    Args:
        port: where it listens.
        settings: names without `ERRDEX_` and their values; nothing is stored unless they name a store.
        listener: a listening socket that it takes over.
    """
    environment = environment_with({f"ERRDEX_{name.upper()}": value for name, value in settings.items()})
    command = [sys.executable, "-m", "errdex", "serve"]
    command += ["--port", str(port)] if listener is None else ["--fd", str(listener.fileno())]
    return Process(command, environment, () if listener is None else (listener.fileno(),))


@contextmanager
def serving(**settings: str) -> Iterator[Target]:
    """A server that is ready; ended afterwards.

    Args:
        settings: names without `ERRDEX_` and their values.
    """
    port = free_port()
    process = start(port, settings)
    try:
        wait_ready(port, process)
        yield Target(port, process)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
