"""Starts the servers that are measured, each one process on one core with one native thread, and reads their memory."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.load.server import environment_with, free_port, status_of
from errdex.settings import Settings

HERE = Path(__file__).resolve().parent
SERVER_CORE, CLIENT_CORE = 0, 1
_WAIT_SECONDS = 300
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS", "RAYON_NUM_THREADS")
_OFFLINE = {"TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}


class ServerError(Exception):
    """A server did not start."""


@dataclass(frozen=True)
class System:
    """One server of the comparison.

    Attributes:
        command: what starts it; `{port}` is filled in.
        ready: path that answers 200 once it can serve.
        environment: what it needs besides this process's own variables.
    """

    name: str
    command: Sequence[str]
    ready: str = "/readyz"
    environment: Mapping[str, str] = field(default_factory=dict)


def script(name: str, *arguments: str) -> list[str]:
    """The command of a server beside this file."""
    return [sys.executable, str(HERE / f"{name}.py"), *arguments, "--port", "{port}"]


def environment_of(system: System) -> dict[str, str]:
    """Variables of a server's process: one native thread, no network, and errdex from where this process has it."""
    return environment_with(dict.fromkeys(_THREADS, "1") | _OFFLINE | dict(system.environment))


def errdex(settings: Settings, scratch: Path) -> System:
    """Errdex as `errdex serve` runs it.

    Args:
        settings: which index and knowledge it serves.
        scratch: folder for what must not last, such as the store of unanswered errors.
    """
    environment = {
        "ERRDEX_INDEX": str(settings.index),
        "ERRDEX_KB": str(settings.kb),
        "ERRDEX_STORE": f"sqlite:///{scratch / 'store.db'}",
    }
    return System("errdex", [sys.executable, "-m", "errdex", "serve", "--port", "{port}"], environment=environment)


@dataclass(frozen=True)
class Running:
    """A server that answers: where, and how long it took to be ready in seconds."""

    system: System
    port: int
    pid: int
    start_seconds: float

    def memory(self) -> tuple[float, float]:
        """Resident memory now and at its peak, in MB."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii", errors="replace")
        sizes = {line.split(":")[0]: line.split()[1] for line in status.splitlines() if line.startswith("Vm")}
        return int(sizes["VmRSS"]) * 1024 / 1e6, int(sizes["VmHWM"]) * 1024 / 1e6


@contextmanager
def on_core(core: int) -> Iterator[None]:
    """Keep this process on one core meanwhile, and for good what it starts; where the system can do that."""
    if not hasattr(os, "sched_setaffinity") or (os.cpu_count() or 1) <= core:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def running(system: System) -> Iterator[Running]:
    """Start a server, wait until it is ready, stop it at the end.

    Raises:
        ServerError: it stops, or is not ready in five minutes.
    """
    port = free_port()
    command = [part.replace("{port}", str(port)) for part in system.command]
    begin = time.perf_counter()
    with on_core(SERVER_CORE):
        process = subprocess.Popen(command, env=environment_of(system), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while status_of(port, system.ready) != 200:
            if process.poll() is not None or time.perf_counter() - begin > _WAIT_SECONDS:
                raise ServerError(f"{system.name} did not become ready; run it by hand to see why: {' '.join(command)}")
            time.sleep(0.005)
        yield Running(system, port, process.pid, time.perf_counter() - begin)
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
