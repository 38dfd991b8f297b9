"""A first look while the lookup is being worked on: errdex beside the echo, a text of 2 KB that a signature decides.

`python -m bench.speed.versus_echo`, or with another kind of text: `--kind new --size '300 KB'`
"""

import argparse
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from rich.console import Console

from bench.speed.bodies import KINDS, SIZES, Texts, is_retrieved, is_signed, lookup_body
from bench.speed.client import Client, Load, post
from bench.speed.servers import CLIENT_CORE, System, errdex, on_core, running, script
from errdex.catalog import load_catalog
from errdex.index import load_index
from errdex.lookup import Lookup
from errdex.settings import Settings


def main() -> None:
    """Ask both by turns, and print what each takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", choices=KINDS, default="signed")
    parser.add_argument("--size", choices=SIZES, default="2 KB")
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=4)
    wanted = parser.parse_args()
    settings = Settings()
    texts = Texts.of(load_catalog(settings.kb), Lookup(load_index(settings.index), None))
    check = {"signed": is_signed, "new": is_retrieved}.get(wanted.kind)
    console = Console()
    with (
        TemporaryDirectory() as scratch,
        on_core(CLIENT_CORE),
        running(errdex(settings, Path(scratch))) as ours,
        running(System("echo", script("echo"))) as echo,
    ):
        for clients in (1, 16):
            loads: dict[str, list[Load]] = {"errdex": [], "echo": []}
            sides = (("errdex", ours.port, "/lookup"), ("echo", echo.port, "/echo"))
            for turn in range(wanted.rounds + 1):
                for name, port, path in sides if turn % 2 else sides[::-1]:
                    made = texts.texts(wanted.kind, SIZES[wanted.size], wanted.requests)
                    requests = [post(path, lookup_body(text)) for text in made]
                    with Client(port, clients) as client:
                        load = client.closed_loop(requests, check if name == "errdex" else None)
                    if turn:  # the first warms up
                        loads[name].append(load)
            for name, measured in loads.items():
                took = sorted(time for load in measured for time in load.took)
                rate, odd = median(load.rate for load in measured), sum(load.odd for load in measured)
                console.print(
                    f"{name:7} {clients:3} clients  {rate:8.0f} requests/s  p50 {median(took):7.3f} ms  "
                    f"p95 {took[len(took) * 95 // 100]:7.3f} ms  p99 {took[len(took) * 99 // 100]:7.3f} ms  odd {odd}",
                    highlight=False,
                    soft_wrap=True,
                )


if __name__ == "__main__":
    main()
