"""Ten times as many requests as the server can answer: it answers as many as before, and refuses the rest at once."""

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median, quantiles

from bench.faults.sockets import request
from bench.faults.target import Target

_CONNECTIONS = 500
_NUMBERS = itertools.count()
_WORDS = b"run %d: my training loss becomes nan a while after I switch on half precision, what should I look at first?"


@dataclass
class Outcome:
    """What a load met.

    Attributes:
        statuses: how often each status came; 0 for a connection that failed.
        took: seconds of each request that was answered with 200.
        seconds: how long it went on.
    """

    statuses: Counter[int] = field(default_factory=Counter)
    took: list[float] = field(default_factory=list)
    seconds: float = 0

    @property
    def goodput(self) -> float:
        """Answers with 200 per second."""
        return self.statuses[200] / self.seconds

    @property
    def p99(self) -> float:
        """Milliseconds."""
        return quantiles(self.took, n=100)[-1] * 1000 if len(self.took) > 1 else 0


class _Client:
    """Connections that are kept and used again; a request that finds all in use waits, and its time runs."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._free = asyncio.Semaphore(_CONNECTIONS)
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def ask(self, outcome: Outcome) -> None:
        """One request with words that no other has."""
        body = _WORDS % next(_NUMBERS)
        began = time.perf_counter()
        async with self._free:
            await self._ask(body, began, outcome)

    async def _ask(self, body: bytes, began: float, outcome: Outcome) -> None:
        try:
            reader, writer = self._idle.pop() if self._idle else await asyncio.open_connection("127.0.0.1", self._port)
            writer.write(request(b"/lookup", b"Content-Type: text/plain", method=b"POST", body=body))
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
        except (OSError, asyncio.IncompleteReadError):
            outcome.statuses[0] += 1
            return
        status = int(head.split(b" ")[1])
        outcome.statuses[status] += 1
        if status == 200:
            outcome.took.append(time.perf_counter() - began)
        self._idle.append((reader, writer))

    def close(self) -> None:
        """Close what is kept."""
        for _, writer in self._idle:
            writer.close()


async def saturate(port: int, seconds: float, clients: int = 8) -> Outcome:
    """Clients that ask one request after the other."""
    outcome, client = Outcome(), _Client(port)
    began = time.monotonic()

    async def repeat() -> None:
        while time.monotonic() < began + seconds:
            await client.ask(outcome)

    await asyncio.gather(*(repeat() for _ in range(clients)))
    outcome.seconds = time.monotonic() - began
    client.close()
    return outcome


async def flood(port: int, seconds: float, rate: float) -> Outcome:
    """Requests at a rate of their own, however slowly they are answered."""
    outcome, client = Outcome(), _Client(port)
    tasks: set[asyncio.Task[None]] = set()
    began = time.monotonic()
    sent = 0
    while (passed := time.monotonic() - began) < seconds:
        while sent < passed * rate:
            task = asyncio.create_task(client.ask(outcome))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
            sent += 1
        await asyncio.sleep(0.005)
    await asyncio.gather(*tasks)
    outcome.seconds = time.monotonic() - began
    client.close()
    return outcome


async def _recovery(port: int, usual: float) -> float:
    """Seconds until single requests take what they usually take."""
    began = time.monotonic()
    while time.monotonic() < began + 30:
        outcome = await saturate(port, 0.2, clients=1)
        if outcome.took and median(outcome.took) <= 2 * usual:
            return time.monotonic() - began
    return 30


def table(target: Target, seconds: float, factor: float = 10) -> Iterator[tuple[str, str]]:
    """Saturate the server, flood it, and see how it recovers.

    Args:
        target: the server.
        seconds: how long each load goes on.
        factor: how many times saturation the flood is.

    Yields:
        What was done, and what was measured.
    """

    async def measure() -> tuple[Outcome, Outcome, float]:
        single = await saturate(target.port, 1, clients=1)
        full = await saturate(target.port, seconds)
        flooded = await flood(target.port, seconds, factor * full.goodput)
        return full, flooded, await _recovery(target.port, median(single.took))

    before = target.memory()
    full, flooded, recovery = asyncio.run(measure())
    yield "saturation, 8 clients", f"{full.goodput:.0f} answers/s, p99 {full.p99:.0f} ms, {dict(full.statuses)}"
    yield (
        f"{factor:g} times that",
        f"{flooded.goodput:.0f} answers/s ({flooded.goodput / full.goodput:.0%}), p99 {flooded.p99:.0f} ms "
        f"({flooded.p99 / full.p99:.1f} times), {dict(flooded.statuses)} in {flooded.seconds:.1f} s",
    )
    yield "after it", f"usual again within {recovery:.1f} s; memory {before:.0f} to {target.memory():.0f} MiB"
