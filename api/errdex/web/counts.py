"""How many requests each client has made of late: in this process, or in a Valkey or Redis that several share.

Both count in the same way, by a sliding window: the requests of the current window, and those of the one before it
by the share of it that the last `seconds` still reach into. A refused request does not count.

The counts in this process are errdex's own. Those of `limits` start a thread every ten milliseconds that goes through
all clients, take several times as long and hold more than 250 bytes a client; docs/access.md has the figures.
"""

import time
from typing import NamedTuple

from errdex.errors import ErrdexError

_MAX_CLIENTS = 100_000
_STORE_SECONDS = 0.25
Client = str | bytes


class Quota(NamedTuple):
    """How many requests in how many seconds."""

    amount: int
    seconds: int

    @classmethod
    def parse(cls, rate: str) -> "Quota":
        """A quota from `120/minute`, as settings and keys have it checked."""
        amount, _, unit = rate.partition("/")
        return cls(int(amount), {"second": 1, "minute": 60, "hour": 3600, "day": 86400}[unit])


class Usage(NamedTuple):
    """What a client has used.

    Attributes:
        allowed: whether the last request was within the quota.
        previous: requests in the window before the current one.
        current: requests in the current one.
        elapsed: seconds since the current one began.
    """

    allowed: bool
    previous: int
    current: int
    elapsed: float

    def remaining(self, quota: Quota) -> int:
        """Requests left now."""
        weighted = self.previous * (1 - self.elapsed / quota.seconds) + self.current
        return max(0, quota.amount - int(weighted))

    def wait(self, quota: Quota, cost: int) -> int:
        """Whole seconds until a request of this cost fits, when nothing else is asked meanwhile."""
        room = quota.amount - cost + 1  # the weighted count has to fall below this
        if self.current < room and self.previous:
            share = 1 - (room - self.current) / self.previous
            return int(max(0.0, quota.seconds * share - self.elapsed)) + 1
        share = 1 - room / self.current if self.current else 0.0
        return int(quota.seconds - self.elapsed + max(0.0, quota.seconds * share)) + 1


class _Windows:
    """The current and the previous window of one length; what is older is dropped whole."""

    __slots__ = ("current", "number", "previous")

    def __init__(self, number: int) -> None:
        self.number = number
        self.current: dict[Client, int] = {}
        self.previous: dict[Client, int] = {}

    def move(self, number: int) -> None:
        self.previous = self.current if number == self.number + 1 else {}
        self.current = {}
        self.number = number


class OwnCounts:
    """Counts of this process: two dictionaries, never more than `clients` entries in each.

    When more clients come than that within one window, the counts so far become those of the window before: old
    requests weigh less then than they should, and memory stays bounded.
    """

    def __init__(self, clients: int = _MAX_CLIENTS) -> None:
        self._clients = clients
        self._windows: dict[int, _Windows] = {}

    def take(self, client: Client, quota: Quota, cost: int) -> Usage:
        """Count a request that costs so much, if it is within the quota."""
        amount, seconds = quota
        now = time.time()
        number = int(now // seconds)
        elapsed = now - number * seconds
        windows = self._windows.get(seconds)
        if windows is None:
            windows = self._windows[seconds] = _Windows(number)
        elif windows.number != number:
            windows.move(number)
        previous = windows.previous.get(client, 0)
        current = windows.current.get(client, 0)
        if int(previous * (1 - elapsed / seconds) + current) + cost > amount:
            return Usage(False, previous, current, elapsed)
        if current == 0 and len(windows.current) >= self._clients:
            windows.previous, windows.current = windows.current, {}
        windows.current[client] = current + cost
        return Usage(True, previous, current + cost, elapsed)

    def __len__(self) -> int:
        """How many clients are remembered."""
        return sum(len(windows.current) + len(windows.previous) for windows in self._windows.values())


class SharedCounts:
    """Counts in a Valkey or Redis, by `limits`.

    Args:
        address: `valkey://host:port`, `redis://host:port` or the like.

    Raises:
        ErrdexError: the client library is not installed, or the address is wrong.
    """

    def __init__(self, address: str) -> None:
        from limits import RateLimitItemPerSecond
        from limits.aio.storage import RedisStorage
        from limits.aio.strategies import SlidingWindowCounterRateLimiter
        from limits.errors import ConfigurationError

        # Both speak one protocol, and valkey's client serves both.
        uri = "async+valkey" + address.removeprefix("redis").removeprefix("valkey")
        try:
            self._storage = RedisStorage(
                uri, key_prefix="errdex", socket_timeout=_STORE_SECONDS, socket_connect_timeout=_STORE_SECONDS
            )
        except ConfigurationError:
            raise ErrdexError(
                "ERRDEX_RATE_STORE needs valkey's client, `pip install 'errdex[valkey]'`, and an address with host and port.",
            ) from None
        self._limiter = SlidingWindowCounterRateLimiter(self._storage)
        self._item = RateLimitItemPerSecond

    async def take(self, client: Client, quota: Quota, cost: int) -> Usage:
        """Count a request that costs so much, if it is within the quota; two round trips.

        Raises:
            Exception: whatever the client library raises when the store does not answer.
        """
        name = client if isinstance(client, str) else client.hex()
        item = self._item(quota.amount, quota.seconds)
        allowed = await self._limiter.hit(item, name, cost=cost)
        previous, previous_left, current, current_left = await self._storage.get_sliding_window(item.key_for(name), quota.seconds)
        # The store keeps a window for its own length and the next one's.
        left = previous_left if previous else max(0.0, current_left - quota.seconds)
        return Usage(allowed, previous, current, quota.seconds - left)

    async def close(self) -> None:
        """Close the connections."""
        await self._storage.bridge.get_connection().aclose()  # type: ignore[attr-defined]  # each bridge has it, their base does not say so
