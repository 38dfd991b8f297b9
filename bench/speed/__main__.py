"""`python -m bench.speed`: what `errdex benchmark --speed` runs; the figures as JSON, progress beside them."""

import argparse
import sys

from bench.speed.client import BadAnswerError
from bench.speed.measure import measure
from bench.speed.plan import FULL, QUICK
from bench.speed.servers import ServerError
from errdex.errors import ErrdexError
from errdex.settings import Settings

_SYSTEMS = ("errdex", "echo", "naive", "txtai")


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def main() -> int:
    """Run, and write the figures to standard output."""
    parser = argparse.ArgumentParser(prog="python -m bench.speed", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two minutes instead of twelve")
    parser.add_argument("--systems", nargs="+", choices=_SYSTEMS, default=_SYSTEMS)
    wanted = parser.parse_args()
    try:
        speed = measure(Settings(), QUICK if wanted.quick else FULL, wanted.systems, _say)
    except (ServerError, BadAnswerError, ErrdexError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(speed.model_dump_json(indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
