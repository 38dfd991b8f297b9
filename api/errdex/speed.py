"""The shape of what `errdex benchmark --speed` measures and publishes (`bench/speed/results.json`), for whoever shows it."""

from datetime import date
from pathlib import Path

from pydantic import ValidationError

from errdex.entry import Strict
from errdex.errors import ErrdexError


class Estimate(Strict):
    """A figure and its 95 % confidence interval."""

    value: float
    low: float
    high: float


class Cell(Strict):
    """One server, one kind and size of text, so many clients; times in milliseconds.

    Attributes:
        requests: how many were measured.
        odd: answers that something else decided than the kind of text says.
    """

    system: str
    kind: str
    size: str
    clients: int
    load: str
    requests: int
    p50: float
    p95: float
    p99: float
    rate: float
    odd: int


class Footprint(Strict):
    """What a server costs before it answers: seconds to be ready, MB after 200 mixed requests and at the peak."""

    start: Estimate
    resident: float
    peak: float


class Machine(Strict):
    """What the figures hang on.

    Attributes:
        load_before: load average of one minute when the run began.
        load_after: the same at its end.
        steal: share of the processors' time that the host took away meanwhile.
        busy_elsewhere: share of it that other processes of this machine took.
    """

    cpu: str
    cores: int
    python: str
    libraries: dict[str, str]
    load_before: float
    load_after: float
    steal: float
    busy_elsewhere: float


class Speed(Strict):
    """A whole run.

    Attributes:
        ceiling: requests per second that the client reaches against a server that does nothing, by clients.
        figures: what is compared, each with its interval; `bars` says what each is measured against.
        growth: for each shape of text, time to read 400 kB over time to read 200 kB; 2 is linear.
        left_out: what was not measured, and why.
    """

    date: date
    errdex: str
    entries: int
    rounds: int
    seconds: float
    machine: Machine
    ceiling: dict[int, float]
    cells: list[Cell]
    footprints: dict[str, Footprint]
    figures: dict[str, Estimate]
    growth: dict[str, float]
    left_out: list[str]


def read_speed(path: Path) -> Speed:
    """Read what `errdex benchmark --speed --publish` wrote.

    Raises:
        ErrdexError: the file is not there, or does not hold what this version reads.
    """
    try:
        return Speed.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise ErrdexError(f"{path} cannot be read; write it with `errdex benchmark --speed --publish {path.name}`.") from error
