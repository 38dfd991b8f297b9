import random

import pytest

from bench.faults.counts import addresses
from errdex.errors import ErrdexError
from errdex.web import counts
from errdex.web.counts import OwnCounts, Quota, SharedCounts
from tests.clock import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    stopped = Clock()
    monkeypatch.setattr(counts, "time", stopped)
    return stopped


def take(own: OwnCounts, quota: Quota, cost: int = 1, client: str = "x") -> bool:
    return own.take(client, quota, cost).allowed


def test_a_client_may_ask_so_often_and_no_more(clock: Clock) -> None:
    own, quota = OwnCounts(), Quota.parse("5/minute")
    assert [take(own, quota) for _ in range(7)] == [True] * 5 + [False] * 2
    assert take(own, quota, client="another")
    clock.now += 59.9
    assert not take(own, quota)
    clock.now += 60.1  # a whole window later nothing of it counts
    assert [take(own, quota) for _ in range(6)] == [True] * 5 + [False]


def test_the_end_of_a_window_does_not_double_the_rate(clock: Clock) -> None:
    own, quota = OwnCounts(), Quota(100, 60)
    clock.now += 59
    assert sum(take(own, quota) for _ in range(200)) == 100
    clock.now += 2
    assert sum(take(own, quota) for _ in range(200)) == 2


@pytest.mark.parametrize("rate", ["10/second", "7/minute", "100/hour"])
def test_the_time_to_wait_is_neither_short_nor_long(clock: Clock, rate: str) -> None:
    quota, chance = Quota.parse(rate), random.Random(3)
    own = OwnCounts()
    for _ in range(300):
        clock.now += chance.random() * quota.seconds / quota.amount
        cost = chance.choice((1, 1, 1, 3))
        usage = own.take("x", quota, cost)
        if usage.allowed:
            continue
        wait, before = usage.wait(quota, cost), clock.now
        clock.now = before + wait - 1.001
        if wait > 1:
            again = own.take("x", quota, cost)
            assert not again.allowed
        clock.now = before + wait
        assert own.take("x", quota, cost).allowed


def test_a_flood_of_addresses_does_not_fill_the_memory() -> None:
    own, quota = OwnCounts(clients=1000), Quota(120, 86400)
    most = 0
    for address in addresses(20_000):
        assert take(own, quota, client=address)
        most = max(most, len(own))
    assert most == 2000


def test_counts_of_the_past_are_dropped(clock: Clock) -> None:
    own, quota = OwnCounts(), Quota(120, 60)
    for number in range(100):
        take(own, quota, client=str(number))
    clock.now += 60
    take(own, quota)
    assert len(own) == 101
    clock.now += 60
    take(own, quota)
    assert len(own) == 2


def test_a_server_without_the_client_of_its_store_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limits.util.get_dependency", lambda path: (__import__("limits").util.MissingModule, None))
    with pytest.raises(ErrdexError, match=r"errdex\[valkey\]"):
        SharedCounts("valkey://127.0.0.1:1")
