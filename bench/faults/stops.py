"""A server that is told to stop under load: nothing that it accepted is lost."""

import http.client
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

from bench.faults.sockets import LOG, request
from bench.faults.target import READY_SECONDS, Process, start, wait_ready
from bench.load.server import free_port

_GRACE_SECONDS = 0.9  # a server gives a second
_NO_PORT = 2  # exit status of a server that cannot listen
_LATE = 5  # clients that are connected before the signal and ask after it


@dataclass
class Load:
    """Clients that ask one request after the other on kept connections, until told to stop.

    Attributes:
        port: where they ask.
        may_refuse: whether a refused connection counts as an answer of its own, which a proxy would take elsewhere.
        served: answers.
        failures: what went wrong.
    """

    port: int
    may_refuse: bool
    served: int = 0
    failures: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []

    def begin(self, clients: int) -> None:
        """Start the clients."""
        self._threads = [threading.Thread(target=self._ask) for _ in range(clients)]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Stop the clients, each after its request."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _ask(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while not self._stop.is_set():
            try:
                if connection.sock is None:
                    connection.connect()
            except OSError as error:
                if not (self.may_refuse and isinstance(error, ConnectionRefusedError)):
                    with self._lock:
                        self.failures.append(f"connect: {type(error).__name__}")
                return
            try:
                connection.request("POST", "/lookup", LOG, {"Content-Type": "text/plain"})
                answer = connection.getresponse()
                answer.read()
                outcome = "" if answer.status == 200 else str(answer.status)
            except (OSError, http.client.HTTPException) as error:
                outcome = type(error).__name__
                connection.close()
            with self._lock:
                if outcome:
                    self.failures.append(outcome)
                else:
                    self.served += 1
        connection.close()


def late_clients(port: int) -> list[socket.socket]:
    """Connections on which nothing has been sent yet."""
    return [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(_LATE)]


def ask_late(clients: list[socket.socket]) -> list[str]:
    """Ask on connections that were opened before the server was told to stop; what went wrong."""
    wrong = []
    for client in clients:
        with suppress(OSError):  # what comes of it is seen below
            client.sendall(request(b"/livez", b"Accept: */*"))
    for client in clients:
        try:
            answer = client.recv(65536)
            if not answer.startswith(b"HTTP/1.1 200"):
                wrong.append(f"late: {answer[:12]!r}")
        except OSError as error:
            wrong.append(f"late: {type(error).__name__}")
        finally:
            client.close()
    return wrong


def stop(process: Process, port: int) -> tuple[list[str], float]:
    """Send SIGTERM between the connecting and the asking of some clients; what went wrong, and the seconds to the exit."""
    clients = late_clients(port)
    told = time.monotonic()
    process.send_signal(signal.SIGTERM)
    with ThreadPoolExecutor(1) as pool:
        exit_ = pool.submit(_seconds_to_exit, process)
        time.sleep(0.3)
        waited = time.monotonic() - told
        wrong = ask_late(clients)
        # Where the machine was too busy to let this process ask within the grace, nothing was shown.
        return wrong if waited < _GRACE_SECONDS else [], exit_.result()


def _seconds_to_exit(process: Process) -> float:
    told = time.monotonic()
    process.wait(60)
    return time.monotonic() - told


def hand_over(stops: int, clients: int = 8) -> Iterator[tuple[str, str]]:
    """Replace a server by the next on one listening socket, again and again, under load.

    Args:
        stops: how often.
        clients: how many ask without pause.

    Yields:
        What was done, and what was measured.
    """
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listener:
        port = listener.getsockname()[1]
        serving = start(port, {}, listener)
        wait_ready(port, serving)
        load = Load(port, may_refuse=False)
        load.begin(clients)
        slowest = 0.0
        for _ in range(stops):
            following = start(port, {}, listener)
            following.started.wait(READY_SECONDS)
            wrong, seconds = stop(serving, port)
            load.failures += wrong
            slowest = max(slowest, seconds)
            serving = following
        load.end()
        serving.kill()
        serving.wait()
    yield (
        f"{stops} hand-overs of one socket, {clients} clients",
        f"{load.served} served, {len(load.failures)} failed {sorted(set(load.failures))}, slowest exit {slowest:.2f} s",
    )


def _started() -> tuple[Process, int]:
    """A server and its port; where another program takes the port first, at another one."""
    for _ in range(5):
        port = free_port()
        process = start(port, {})
        try:
            wait_ready(port, process)
        except RuntimeError:
            if process.poll() != _NO_PORT:
                raise
        else:
            return process, port
    raise RuntimeError("no port stays free")


def alone(stops: int, clients: int = 8) -> Iterator[tuple[str, str]]:
    """Stop a server that is alone; its clients may be refused a new connection, and nothing else.

    Args:
        stops: how often.
        clients: how many ask without pause.

    Yields:
        What was done, and what was measured.
    """
    served = 0
    failures: list[str] = []
    slowest = 0.0
    for _ in range(stops):
        process, port = _started()
        load = Load(port, may_refuse=True)
        load.begin(clients)
        time.sleep(0.5)
        wrong, seconds = stop(process, port)
        load.end()
        served += load.served
        failures += load.failures + wrong
        slowest = max(slowest, seconds)
    yield (
        f"{stops} stops of a server alone, {clients} clients",
        f"{served} served, {len(failures)} failed {sorted(set(failures))}, slowest exit {slowest:.2f} s",
    )
