"""Measures a real server through HTTP: cold start, lookups with and without the model, and growth with length."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median, quantiles

from pydantic import BaseModel
from rich.console import Console
from rich.table import Table

from errdex.errors import ErrdexError
from errdex.redact import redact
from errdex.report import read_report
from errdex.settings import Settings

_STARTS = 5
_REQUESTS = 200
_WAIT_SECONDS = 60
_SIGNED = (
    'Traceback (most recent call last):\n  File "train.py", line {n}, in <module>\n'
    "ValueError: Attempting to unscale FP16 gradients.\n"
)
_ASKED = "run {n}: my training loss becomes nan a while after I switch on half precision, what should I look at first?"
# Shapes on which careless patterns take time out of proportion.
_SHAPES = {
    "log lines": "step 12 loss: 2.31 lr 1e-4 ok\n",
    "one line": "File ",
    "brackets": "[" * 40 + "\n",
    "prefixes": "[rank0]: [rank0]: x\n",
}


class Speed(BaseModel):
    """What one run measured; times in milliseconds.

    Attributes:
        cold_start: process start to `/readyz`, median.
        signature: a lookup that a signature decides, p50 and p95.
        model: a lookup of new words that needs the model, p50 and p95.
        health: `/livez`, p50: what HTTP itself costs.
        growth: for each shape of text, time for 400 kB over time for 200 kB; 2 is linear.
    """

    cold_start: float
    signature: tuple[float, float]
    model: tuple[float, float]
    health: float
    growth: dict[str, float]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _server(settings: Settings) -> Iterator[tuple[int, float]]:
    """A server process: its port, and the milliseconds it took to be ready."""
    port = _free_port()
    environment = os.environ | {"ERRDEX_INDEX": str(settings.index), "ERRDEX_KB": str(settings.kb)}
    app = ["--factory", "errdex.web.app:create_app"]
    command = [sys.executable, "-m", "uvicorn", *app, "--port", str(port), "--log-level", "error"]
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environment)
    try:
        while _get(port, "/readyz") != 200:
            if process.poll() is not None or time.perf_counter() - start > _WAIT_SECONDS:
                raise ErrdexError("The server did not become ready; start it with `errdex serve` to see why.")
        yield port, (time.perf_counter() - start) * 1000
    finally:
        process.terminate()
        process.wait()


def _get(port: int, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except OSError:
        return 0
    finally:
        connection.close()


def _times(call: Callable[[int], object], count: int) -> list[float]:
    took: list[float] = []
    for number in range(count):
        start = time.perf_counter()
        call(number)
        took.append((time.perf_counter() - start) * 1000)
    return took


def _spread(took: list[float]) -> tuple[float, float]:
    return median(took), quantiles(took, n=20)[-1]


def _growth(piece: str) -> float:
    def once(size: int) -> float:
        text = (piece * (size // len(piece) + 1))[:size]
        return min(_times(lambda _: read_report(redact(text).text), 3))

    return once(400_000) / once(200_000)


def measure_speed(settings: Settings) -> Speed:
    """Start servers and ask them, one request at a time on one connection.

    Args:
        settings: where the built index is.

    Raises:
        ErrdexError: the server does not start.
    """
    starts: list[float] = []
    for _ in range(_STARTS - 1):
        with _server(settings) as (_, took):
            starts.append(took)
    with _server(settings) as (port, took):
        starts.append(took)
        connection = http.client.HTTPConnection("127.0.0.1", port)

        def post(template: str) -> Callable[[int], None]:
            def call(number: int) -> None:
                body = json.dumps({"traceback": template.replace("{n}", str(number))})
                connection.request("POST", "/lookup", body, {"content-type": "application/json"})
                connection.getresponse().read()

            return call

        def health(_: int) -> None:
            connection.request("GET", "/livez")
            connection.getresponse().read()

        _times(post(_SIGNED), 10)
        _times(post(_ASKED.replace("run", "warm up")), 5)
        speed = Speed(
            cold_start=median(starts),
            signature=_spread(_times(post(_SIGNED), _REQUESTS)),
            model=_spread(_times(post(_ASKED), _REQUESTS)),
            health=median(_times(health, _REQUESTS)),
            growth={name: _growth(piece) for name, piece in _SHAPES.items()},
        )
        connection.close()
    return speed


def print_speed(speed: Speed, console: Console) -> None:
    """A table."""
    table = Table(title="one server process, one client, one request at a time")
    table.add_column("what")
    table.add_column("p50", justify="right")
    table.add_column("p95", justify="right")
    table.add_row("process start to /readyz", f"{speed.cold_start:.0f} ms", "")
    table.add_row("lookup decided by a signature", *(f"{value:.2f} ms" for value in speed.signature))
    table.add_row("lookup that needs the model (new words)", *(f"{value:.2f} ms" for value in speed.model))
    table.add_row("GET /livez", f"{speed.health:.2f} ms", "")
    console.print(table)
    for name, factor in speed.growth.items():
        console.print(f"reading twice as much text ({name}): {factor:.2f} times as long")
