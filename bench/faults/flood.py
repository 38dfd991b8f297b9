"""One client floods, another behaves: `python -m bench.faults.flood`.

A real server with a rate and two keys. One client asks steadily, first alone, then while the other asks twenty times
as often as that and twice as often as it may. What counts is how many of the first one's lookups are answered.
"""

import argparse
import http.client
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel

from bench.faults.sockets import LOG
from bench.faults.target import serving
from errdex.keys import Key, new_secret, write_keys

_TIMES = 20
_FLOOD_THREADS = 4


class Phase(BaseModel):
    """How one client fared.

    Attributes:
        asked: requests sent.
        statuses: how often each status came; `0` is a connection that failed.
        p50_ms: median time to an answer.
        p99_ms: time that 99 of 100 answers stayed below.
    """

    asked: int
    statuses: dict[int, int]
    p50_ms: float
    p99_ms: float

    @property
    def answered(self) -> int:
        """Requests that got an answer to their question."""
        return self.statuses.get(200, 0)


class Flood(BaseModel):
    """The steady client alone and beside the flood, and the flood itself.

    Attributes:
        loss: share of the steady client's lookups that the flood cost it.
    """

    alone: Phase
    beside: Phase
    flood: Phase
    loss: float


def _post(connection: http.client.HTTPConnection, secret: str) -> int:
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "text/plain"}
    try:
        connection.request("POST", "/lookup", LOG, headers)
        answer = connection.getresponse()
        answer.read()
    except OSError:
        connection.close()
        return 0
    return answer.status


@contextmanager
def server(folder: Path, rate: str, secrets: dict[str, str]) -> Iterator[int]:
    """A server with these keys and this rate; its port."""
    write_keys(folder / "keys.toml", [Key.of(name, secret) for name, secret in secrets.items()])
    with serving(keys=str(folder / "keys.toml"), open="false", rate=rate) as target:
        yield target.port


def steady(port: int, secret: str, per_second: float, seconds: float, threads: int = 1) -> Phase:
    """Ask at even intervals; what falls behind is asked late, never skipped, as long as there is time."""
    statuses: Counter[int] = Counter()
    times: list[float] = []
    count = int(per_second * seconds)
    start = time.monotonic()

    def ask(first: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        for number in range(first, count, threads):
            due = start + number / per_second
            if (early := due - time.monotonic()) > 0:
                time.sleep(early)
            elif time.monotonic() > start + seconds:
                break  # the server was too slow for the rest
            asked = time.monotonic()
            statuses[_post(connection, secret)] += 1
            times.append((time.monotonic() - asked) * 1000)
        connection.close()

    workers = [threading.Thread(target=ask, args=(first,)) for first in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    cuts = statistics.quantiles(times, n=100)
    return Phase(asked=len(times), statuses=dict(statuses), p50_ms=cuts[49], p99_ms=cuts[98])


def _flooder(port: int, secret: str, per_second: float, seconds: float) -> subprocess.Popen[str]:
    # A process of its own: in this one it would slow the steady client down without any server.
    arguments = ["--flood", str(port), "--per-second", str(per_second), "--seconds", str(seconds)]
    return subprocess.Popen(
        [sys.executable, "-m", "bench.faults.flood", *arguments],
        env=os.environ | {"FLOOD_KEY": secret},
        stdout=subprocess.PIPE,
        text=True,
    )


def measure(per_second: float, seconds: float, rate: str) -> Flood:
    """Run both phases against a server of its own that allows each client this rate."""
    secrets = {"steady": new_secret(), "flood": new_secret()}
    with tempfile.TemporaryDirectory() as folder, server(Path(folder), rate, secrets) as port:
        steady(port, secrets["steady"], per_second, min(seconds, 2))  # warms up
        alone = steady(port, secrets["steady"], per_second, seconds)
        flooder = _flooder(port, secrets["flood"], per_second * _TIMES, seconds + 2)
        time.sleep(1)
        beside = steady(port, secrets["steady"], per_second, seconds)
        flood = Phase.model_validate_json(flooder.communicate()[0])
    loss = 1 - beside.answered / max(1, alone.answered)
    return Flood(alone=alone, beside=beside, flood=flood, loss=loss)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-second", type=float, default=20, help="Requests of the steady client.")
    parser.add_argument("--seconds", type=float, default=30, help="How long each phase lasts.")
    parser.add_argument("--flood", type=int, metavar="PORT", help="Only flood this port with the key in FLOOD_KEY.")
    given = parser.parse_args()
    if given.flood:
        flood = steady(given.flood, os.environ["FLOOD_KEY"], given.per_second, given.seconds, _FLOOD_THREADS)
        print(flood.model_dump_json())
        return
    print(measure(given.per_second, given.seconds, f"{int(given.per_second * 2)}/second").model_dump_json(indent=2))


if __name__ == "__main__":
    main()
