from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import NoReturn

import pytest

from errdex.recent import Recent


def test_the_last_results_are_held_and_no_more() -> None:
    recent: Recent[str, str] = Recent(2)
    made: list[str] = []

    def get(key: str) -> str:
        def make() -> str:
            made.append(key)
            return key.upper()

        return recent.get(key, make)

    assert [get(key) for key in "abacab"] == list("ABACAB")
    assert made == ["a", "b", "c", "b"]
    assert len(recent) == 2


def test_what_fails_is_not_held() -> None:
    recent: Recent[str, int] = Recent(2)

    def fails() -> NoReturn:
        raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        recent.get("a", fails)
    assert len(recent) == 0
    assert recent.get("a", lambda: 1) == 1


def test_nobody_waits_for_what_another_makes() -> None:
    recent: Recent[str, int] = Recent(2)
    begun, go_on = Event(), Event()

    def slowly() -> int:
        begun.set()
        assert go_on.wait(60)
        return 1

    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(recent.get, "a", slowly)
        assert begun.wait(60)
        assert recent.get("b", lambda: 2) == 2
        go_on.set()
        assert slow.result(60) == 1
