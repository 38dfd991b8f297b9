"""The last results of a function that costs much, so that what is asked again is not worked out again."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Holds so many results; the one that was asked for longest ago goes first. Threads may share it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._held)

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The result for a key, made if it is not held; what `make` raises is raised, and nothing is held then."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
        made = make()  # outside the lock: two threads may make the same, which is harmless, but none waits for another
        with self._lock:
            self._held[key] = made
            self._held.move_to_end(key)
            if len(self._held) > self._most:
                self._held.popitem(last=False)
        return made
