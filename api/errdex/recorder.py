"""Hands what happened to the store, from a bounded queue and in a thread of its own: no lookup waits for it or fails with it."""

import logging
import sys
import threading
import time
from collections import Counter, OrderedDict, deque
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from errdex.errors import StoreError
from errdex.models import Answer, Vote
from errdex.settings import Settings
from errdex.unanswered import Sighting, Unanswered, fingerprint_of, read_sighting, sighting

if TYPE_CHECKING:
    from errdex.store import Store  # SQLAlchemy takes a third of a second to import: the thread does it, when it first writes

log = logging.getLogger("errdex")

MAX_WAITING = 2_000  # lookups and votes: some 10 MB when a flood of unknown errors fills it
MAX_BYTES = 8 << 20  # of the texts that wait with them
_GATHER_SECONDS = 0.5  # what arrives meanwhile is written in one transaction
_BATCH = 100  # texts and votes of one transaction, so that another process gets its turn; lookups without one only count
_CLOSE_SECONDS = 1.0
_QUIET_SECONDS = 60.0  # between two log lines on a store that fails
_RETRY_SECONDS = 5.0  # before a store that could not be opened is tried again
_SHARE = 0.2  # of a processor's time that the thread takes while more is waiting
_KNOWN = 10_000  # requests whose ids a vote can name
_SHOWN = 300  # entries that are remembered of one id: those of a whole batch
_SAMPLED = 3  # samples that one process takes of one error
_DAY_SECONDS = 3600.0  # how often an idle thread looks whether a new day has begun


class Recorder:
    """Counts lookups, keeps what was unanswered, and takes votes.

    Attributes:
        written: lookups and votes that the store took.
        dropped: those that it did not: the queue was full, or the database failed.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.written = 0
        self.dropped = 0
        self._lock = threading.Lock()
        self._waiting: deque[tuple[Sighting | Vote, int]] = deque()
        self._bytes = 0
        self._known: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._today = (0, date.min)  # hour since the epoch, and its day
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._idle = threading.Event()
        self._idle.set()
        self._opening = threading.Lock()
        self._store: Store | None = None
        self._retry_at = 0.0
        self._said_at = -_QUIET_SECONDS
        self._pruned: date | None = None
        self._sampled: Counter[str] = Counter()
        self._thread: threading.Thread | None = None

    @property
    def stores(self) -> bool:
        """Whether anything is stored at all."""
        return self._settings.stores

    @property
    def waiting(self) -> int:
        """How many are taken over and not written yet."""
        return len(self._waiting)

    def start(self) -> None:
        """Begin to write."""
        if self.stores and self._thread is None:
            self._stopping = threading.Event()  # a thread that an earlier end did not wait for keeps its own
            self._thread = threading.Thread(target=self._run, args=(self._stopping,), name="errdex-recorder", daemon=True)
            self._thread.start()

    def close(self, seconds: float = _CLOSE_SECONDS) -> bool:
        """Write what waits and stop; a database that hangs is not waited for any longer than this.

        Returns:
            Whether everything was written or counted as dropped in time.
        """
        if self._thread is None:
            return True
        self._stopping.set()
        self._wake.set()
        self._thread.join(seconds)
        done = not self._thread.is_alive()
        if not done:
            with self._lock:
                self.dropped += len(self._waiting)
                self._waiting.clear()
                self._bytes = 0
        self._thread = None
        return done

    def flush(self, seconds: float = 10.0) -> bool:
        """Wait until everything recorded so far is written or dropped; says whether that was so in time."""
        return self._idle.wait(seconds)

    def record(self, answer: Answer, text: str) -> None:
        """Take over a lookup; costs some microseconds, whatever the database does.

        Args:
            answer: what was answered.
            text: what was asked, as it came.
        """
        if self._thread is None:
            return
        seen = sighting(answer, text, self._day())
        shown = tuple([result.id for result in answer.results])
        size = sys.getsizeof(text) if seen.text is not None else 0
        with self._lock:
            known = self._known
            # The items of a batch share one id.
            known[answer.request_id] = (known.pop(answer.request_id, ()) + shown)[-_SHOWN:]
            if len(known) > _KNOWN:
                known.popitem(last=False)
            first = self._put(seen, size)
        if first:
            self._wake.set()

    def vote(self, entry: str, *, right: bool, request_id: str | None, comment: str | None) -> None:
        """Take over a reader's word on an entry.

        Args:
            entry: id of the entry.
            right: whether it was right.
            request_id: of the lookup that showed it; a vote counts as verified if this server answered it so, lately.
            comment: what else was said.

        Raises:
            StoreError: the store is switched off.
        """
        if self._thread is None:
            raise StoreError("This server stores nothing, so it takes no feedback: ERRDEX_STORE is `none`.")
        verified = request_id is not None and entry in self._known.get(request_id, ())
        vote = Vote(entry=entry, right=right, request_id=request_id, comment=comment, verified=verified, day=self._day())
        with self._lock:
            first = self._put(vote, sys.getsizeof(comment))
        if first:
            self._wake.set()

    def store(self) -> "Store":
        """The store, to read from.

        Raises:
            StoreError: it is switched off or does not answer.
        """
        with self._opening:
            if self._store is None:
                from errdex.store import open_store

                self._store = open_store(self._settings)
            return self._store

    def _day(self) -> date:
        # The day in UTC is worked out once an hour: a date made of the clock costs more than the rest of a record.
        hour = int(time.time()) // 3600
        if self._today[0] != hour:
            self._today = (hour, datetime.fromtimestamp(hour * 3600, UTC).date())
        return self._today[1]

    def _put(self, item: Sighting | Vote, size: int) -> bool:
        """Queue an item, with the lock held; says whether the thread has to be woken for it."""
        if len(self._waiting) >= MAX_WAITING or self._bytes + size > MAX_BYTES:
            self.dropped += 1
            return False
        first = not self._waiting
        self._waiting.append((item, size))
        self._bytes += size
        if first:
            self._idle.clear()
        return first

    def _take(self) -> list[Sighting | Vote]:
        taken: list[Sighting | Vote] = []
        texts = 0
        with self._lock:
            while self._waiting and texts < _BATCH:
                item, size = self._waiting.popleft()
                taken.append(item)
                texts += size > 0
                self._bytes -= size
            if not self._waiting:
                self._wake.clear()
        return taken

    def _run(self, stopping: threading.Event) -> None:
        while not stopping.is_set():
            if self._wake.wait(_DAY_SECONDS):
                stopping.wait(_GATHER_SECONDS)
            self._write_all(stopping)
            self._prune()
        self._write_all(stopping)

    def _write_all(self, stopping: threading.Event) -> None:
        while batch := self._take():
            started = time.thread_time()
            try:
                self._write(batch)
            except Exception as error:  # noqa: BLE001  whatever it is, the next batch may be written and no lookup may notice
                self.dropped += len(batch)
                self._complain(error)
            else:
                self.written += len(batch)
            if self._waiting:
                # In a flood of unknown errors lookups come first: what this thread cannot take in its share of time is dropped.
                stopping.wait((time.thread_time() - started) * (1 / _SHARE - 1))
        with self._lock:
            if not self._waiting:
                self._idle.set()

    def _write(self, items: list[Sighting | Vote]) -> None:
        from errdex.store import Batch
        from errdex.unanswered import storable

        if time.monotonic() < self._retry_at:
            raise StoreError("The store could not be opened a moment ago.")
        batch = Batch(
            lookups=Counter((item.day, str(item.status)) for item in items if isinstance(item, Sighting)),
            unanswered=[
                read for item in items if isinstance(item, Sighting) and item.text is not None and (read := self._read(item))
            ],
            votes=[
                item.model_copy(update={"comment": storable(item.comment) if item.comment else None})
                for item in items
                if isinstance(item, Vote)
            ],
        )
        try:
            self._opened().add(batch)
        except StoreError:
            # The file may have been moved away: opened again, it is there, with its tables.
            self._store = None
            self._opened().add(batch)

    def _opened(self) -> "Store":
        try:
            return self.store()
        except StoreError:
            self._retry_at = time.monotonic() + _RETRY_SECONDS
            raise

    def _read(self, seen: Sighting) -> Unanswered | None:
        mark = fingerprint_of(seen)
        if mark is None:
            return None
        if len(self._sampled) >= MAX_WAITING:
            self._sampled.clear()
        self._sampled[mark.key] += 1
        return read_sighting(seen, mark, sample=self._sampled[mark.key] <= _SAMPLED)

    def _prune(self) -> None:
        """Once a day, delete what was not seen for as long as the settings say."""
        day = self._day()
        if self._store is None or self._pruned == day:
            return
        self._pruned = day
        try:
            self._store.prune(day - timedelta(days=self._settings.retention_days))
        except Exception as error:  # noqa: BLE001  as for a batch: the thread has to go on
            self._complain(error)

    def _complain(self, error: Exception) -> None:
        now = time.monotonic()
        if now - self._said_at < _QUIET_SECONDS:
            return
        self._said_at = now
        # Of an error that is not errdex's own only the type: its message may hold a piece of somebody's log.
        said = error.detail if isinstance(error, StoreError) else type(error).__name__
        log.error("nothing is stored at the moment: %s (dropped so far: %d)", said, self.dropped)
