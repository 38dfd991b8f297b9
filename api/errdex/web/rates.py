"""How often each client may ask: by key, else by address; told in the headers of the IETF's draft on rate limits."""

import logging
import socket
import time

from starlette.requests import Request
from starlette.types import Message, Scope

from errdex.errors import RateLimitedError
from errdex.keys import Key
from errdex.web.counts import Client, OwnCounts, Quota, SharedCounts, Usage

log = logging.getLogger("errdex")
_RETRY_SECONDS = 5.0
_LOG_SECONDS = 60.0
_MAPPED = bytes(10) + b"\xff\xff"  # an IPv4 address written as IPv6


class Rates:
    """Counts requests against quotas; when the shared store fails, against what this process alone has seen.

    Args:
        rate: the quota of those whose key has none of its own, such as `120/minute`; empty: they have no limit.
        store: where the counts are; see `Settings.rate_store`.

    Raises:
        ErrdexError: the store cannot be used.
    """

    def __init__(self, rate: str, store: str = "memory://") -> None:
        self._quota = Quota.parse(rate) if rate else None
        self._own = OwnCounts()
        self._shared = None if store.startswith("memory:") else SharedCounts(store)
        self._failed = False
        self._retry_at = 0.0
        self._log_at = 0.0

    async def visit(self, scope: Scope, key: Key | None) -> "Visit | None":
        """Count one request.

        Returns:
            What came of it; None when this client has no limit.
        """
        quota = Quota.parse(key.rate) if key and key.rate else self._quota
        if quota is None:
            return None
        client = key.client if key else client_of(scope)
        return Visit(self, client, quota, await self.count(client, quota, 1))

    async def count(self, client: Client, quota: Quota, cost: int) -> Usage:
        """Count a request where the counts are."""
        if self._shared is None:
            return self._own.take(client, quota, cost)
        if self._failed:
            now = time.monotonic()
            if now < self._retry_at:
                return self._own.take(client, quota, cost)
            self._retry_at = now + _RETRY_SECONDS  # this request tries the store, the others do not wait for it
        try:
            usage = await self._shared.take(client, quota, cost)
        except Exception as error:  # noqa: BLE001  whatever the store's client raises, it must not cost the request
            self._store_failed(error)
            return self._own.take(client, quota, cost)
        if self._failed:
            self._failed = False
            log.warning("the store of the rates answers again")
        return usage

    def _store_failed(self, error: Exception) -> None:
        now = time.monotonic()
        self._failed, self._retry_at = True, now + _RETRY_SECONDS
        if now >= self._log_at:
            self._log_at = now + _LOG_SECONDS
            # The type only: a message may hold the store's address, and that its password.
            log.error("the store of the rates does not answer (%s): this process counts alone", type(error).__name__)

    async def close(self) -> None:
        """Give the store's connections back."""
        if self._shared is not None:
            await self._shared.close()


class Visit:
    """One request that is counted."""

    __slots__ = ("_client", "_cost", "_quota", "_rates", "_usage")

    def __init__(self, rates: Rates, client: Client, quota: Quota, usage: Usage) -> None:
        self._rates, self._client, self._quota, self._usage = rates, client, quota, usage
        self._cost = 1

    @property
    def allowed(self) -> bool:
        """Whether it is within the quota."""
        return self._usage.allowed

    async def more(self, cost: int) -> None:
        """Count more for the same request.

        Raises:
            RateLimitedError: that is more than is left.
        """
        if cost > 0:
            self._cost = cost
            self._usage = await self._rates.count(self._client, self._quota, cost)
        if not self._usage.allowed:
            raise self.refusal()

    def refusal(self) -> RateLimitedError:
        """What a client is told that has used up its quota."""
        amount, seconds = self._quota
        if self._cost >= amount and self._cost > 1:
            return RateLimitedError(f"A batch counts as many requests as it has items; {amount} in {seconds} s are allowed.")
        wait = self._usage.wait(self._quota, self._cost)
        return RateLimitedError(f"{amount} requests in {seconds} s are allowed. Ask again in {wait} s.")

    def add_headers(self, message: Message) -> None:
        """Say in an answer what is allowed and what is left of it."""
        quota, usage = self._quota, self._usage
        remaining = usage.remaining(quota)
        wait = usage.wait(quota, remaining + 1 if usage.allowed else self._cost)
        headers = [
            *message.get("headers", ()),
            (b"ratelimit-policy", b'"default";q=%d;w=%d' % quota),
            (b"ratelimit", b'"default";r=%d;t=%d' % (remaining, wait)),
        ]
        if not usage.allowed:
            headers.append((b"retry-after", b"%d" % wait))
        message["headers"] = headers


async def charge(request: Request, cost: int) -> None:
    """Count a request that asks for several things at once.

    Raises:
        RateLimitedError: that is more than the client has left.
    """
    visit: Visit | None = request.scope.get("state", {}).get("visit")
    if visit is not None:
        await visit.more(cost)


def client_of(scope: Scope) -> Client:
    """What stands for a caller without a key: its address; of an IPv6 address the network, which is one customer's."""
    host: str = (scope.get("client") or ("",))[0]
    if ":" not in host:
        return host[:64]  # a Unix socket has none: its callers are one client
    try:
        packed = socket.inet_pton(socket.AF_INET6, host.partition("%")[0])
    except (OSError, ValueError):
        return f"address:{host[:64]}"
    return socket.inet_ntop(socket.AF_INET, packed[12:]) if packed.startswith(_MAPPED) else packed[:8]
