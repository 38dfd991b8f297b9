"""What limiting a request costs, in time and memory: `python -m bench.faults.counts`.

The same work is given to the memory storage of `limits`, which errdex does without.
"""

import argparse
import asyncio
import gc
import ipaddress
import json
import random
import resource
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from pydantic import BaseModel
from starlette.types import Message, Receive, Scope, Send

from errdex.keys import Key, new_secret, write_keys
from errdex.web.access import Access
from errdex.web.counts import OwnCounts, Quota
from errdex.web.keyfile import KeyFile
from errdex.web.rates import Rates

RATE = "120/minute"


class Cost(BaseModel):
    """What was measured.

    Attributes:
        count_us: counting one request and writing its headers, microseconds.
        access_us: the whole middleware around an empty application, a request without a key.
        access_key_us: the same, with one of ten keys.
        limits_us: one hit and its statistics by `limits`, few clients.
        limits_crowd_us: the same beside 20,000 other clients, or as many as there are.
        bytes_per_client: memory of one more client.
        limits_bytes_per_client: the same by `limits`.
        clients: how many different addresses came in one window.
        remembered: how many counts were kept of them at most.
        flood_mib: by how much the memory of the process grew for them.
    """

    count_us: float
    access_us: float
    access_key_us: float
    limits_us: float
    limits_crowd_us: float
    bytes_per_client: float
    limits_bytes_per_client: float
    clients: int
    remembered: int
    flood_mib: float


def addresses(count: int, seed: int = 7) -> Iterator[str]:
    """Random IPv4 addresses."""
    chance = random.Random(seed)
    for _ in range(count):
        yield str(ipaddress.IPv4Address(chance.getrandbits(32)))


def scope_of(address: str, *headers: tuple[bytes, bytes]) -> Scope:
    """A lookup as uvicorn hands it over, with the headers of an ordinary client."""
    usual = [
        (b"host", b"errors.example"),
        (b"user-agent", b"curl/8.5.0"),
        (b"accept", b"*/*"),
        (b"content-type", b"text/plain"),
        (b"content-length", b"49"),
    ]
    return {
        "type": "http",
        "method": "POST",
        "path": "/lookup",
        "root_path": "",
        "client": (address, 40000),
        "headers": [*usual, *headers],
        "state": {"request_id": "0123456789abcdef"},
    }


async def _best_us(once: Callable[[int], Awaitable[object]], requests: int) -> float:
    """Processor time of one call; the best of five rounds, since everything else only adds to it."""
    best = float("inf")
    for _ in range(5):
        started = time.process_time()
        for number in range(requests // 5):
            await once(number)
        best = min(best, (time.process_time() - started) / (requests // 5))
    return best * 1e6


async def _received() -> Message:
    return {"type": "http.request"}


async def _sent(message: Message) -> None:
    del message


async def _empty(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    await send({"type": "http.response.body", "body": b""})


async def _access_us(requests: int) -> tuple[float, float]:
    secret = new_secret()
    keys = [*(Key.of(f"k{n}", new_secret()) for n in range(9)), Key.of("mine", secret)]
    with tempfile.TemporaryDirectory() as folder:
        write_keys(Path(folder) / "keys.toml", keys)
        file = KeyFile(Path(folder) / "keys.toml")
        file.reload()
    layer = Access(_empty, file, Rates("1000000/minute"), is_open=True)
    plain, keyed = scope_of("203.0.113.7"), scope_of("203.0.113.7", (b"authorization", b"Bearer " + secret.encode()))
    bare = await _best_us(lambda _: _empty(plain, _received, _sent), requests)
    without = await _best_us(lambda _: layer(plain, _received, _sent), requests)
    with_key = await _best_us(lambda _: layer(keyed, _received, _sent), requests)
    return without - bare, with_key - bare


async def _count_us(requests: int) -> float:
    rates, scope = Rates("1000000/minute"), scope_of("203.0.113.7")

    async def once(_: int) -> None:
        visit = await rates.visit(scope, None)
        assert visit is not None
        visit.add_headers({"headers": []})

    return await _best_us(once, requests)


async def _limits_us(requests: int, crowd: int) -> float:
    from limits import RateLimitItemPerMinute
    from limits.storage import MemoryStorage
    from limits.strategies import SlidingWindowCounterRateLimiter

    limiter, item = SlidingWindowCounterRateLimiter(MemoryStorage()), RateLimitItemPerMinute(1_000_000)
    for address in addresses(crowd):
        limiter.hit(item, address)

    async def once(_: int) -> None:
        limiter.hit(item, "203.0.113.7")
        limiter.get_window_stats(item, "203.0.113.7")

    return await _best_us(once, requests)


def _bytes_per_client(count: int) -> tuple[float, float]:
    from limits import RateLimitItemPerMinute
    from limits.storage import MemoryStorage
    from limits.strategies import SlidingWindowCounterRateLimiter

    own, quota = OwnCounts(), Quota.parse(RATE)
    limiter, item = SlidingWindowCounterRateLimiter(MemoryStorage()), RateLimitItemPerMinute(120)
    gc.collect()
    tracemalloc.start()
    for address in addresses(count):
        own.take(address, quota, 1)
    ours = tracemalloc.get_traced_memory()[0]
    for address in addresses(count):
        limiter.hit(item, address)
    theirs = tracemalloc.get_traced_memory()[0] - ours
    tracemalloc.stop()
    return ours / count, theirs / count


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "linux" else 1 << 20)


def _flood(clients: int) -> tuple[int, float]:
    own, quota, most = OwnCounts(), Quota(120, 86400), 0
    before = _peak_mib()
    for number, address in enumerate(addresses(clients)):
        own.take(address, quota, 1)
        if number % 1000 == 0:
            most = max(most, len(own))
    return most, _peak_mib() - before


async def measure(requests: int, clients: int) -> Cost:
    """Measure everything.

    Args:
        requests: how many requests each timing makes.
        clients: how many different addresses come.
    """
    remembered, mib = _flood(clients)  # first: the peak of the process is never reset
    access, keyed = await _access_us(requests)
    ours, theirs = _bytes_per_client(min(clients, 50_000))
    return Cost(
        count_us=await _count_us(requests),
        access_us=access,
        access_key_us=keyed,
        limits_us=await _limits_us(requests, 10),
        limits_crowd_us=await _limits_us(requests, min(clients, 20_000)),
        bytes_per_client=ours,
        limits_bytes_per_client=theirs,
        clients=clients,
        remembered=remembered,
        flood_mib=mib,
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=1_000_000)
    given = parser.parse_args()
    cost = asyncio.run(measure(given.requests, given.clients))
    print(json.dumps({name: round(value, 2) for name, value in cost.model_dump().items()}, indent=2))


if __name__ == "__main__":
    main()
