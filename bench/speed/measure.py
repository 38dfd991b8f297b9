"""One run: servers up side by side, blocks of requests by turns, figures with their intervals."""

import gc
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from bench.speed.bodies import KINDS, SIZES, Kind, Texts, lookup_body
from bench.speed.client import BadAnswerError, Client, Load, post
from bench.speed.growth import growth_of_reading
from bench.speed.machine import Watch
from bench.speed.peers import Peer, comparison, missing, prepare
from bench.speed.plan import Ask, Extent, abba, block_size, groups
from bench.speed.servers import CLIENT_CORE, Running, System, on_core, running, script
from bench.speed.spread import estimate, median_of, p50, percentile, rate, ratio, tail
from errdex import __version__
from errdex.catalog import load_catalog
from errdex.index import load_index
from errdex.lookup import Lookup
from errdex.settings import Settings
from errdex.speed import Cell, Estimate, Footprint, Speed

Say = Callable[[str], None]
_TOO_SLOW = 10.0  # seconds for one answer, above which a cell is left out
_HALF_LOAD = "half"
# What servers are asked before their memory is read: 1 in 50 is huge.
_MIXED_SIZES = ("2 KB", "200 B", "2 KB", "20 KB", "2 KB") * 9 + ("2 KB", "200 B", "2 KB", "20 KB", "300 KB")


@dataclass
class Session:
    """The servers that run, and what they have answered so far."""

    peers: Mapping[str, Peer]
    up: Mapping[str, Running]
    texts: Texts
    seconds: float
    blocks: dict[Ask, list[Load]] = field(default_factory=dict)
    rates: dict[Ask, float] = field(default_factory=dict)

    def requests(self, system: str, kind: Kind, size: str, count: int) -> list[bytes]:
        """New requests to one server."""
        return [self.peers[system].request(text) for text in self.texts.texts(kind, SIZES[size], count)]

    def ask(self, ask: Ask, count: int, paced: float = 0.0) -> Load:
        """One block.

        Args:
            ask: whom and what.
            count: how many requests.
            paced: requests per second, whatever the answers do; without it each client waits for its answer.
        """
        requests = self.requests(ask.system, ask.kind, ask.size, count)
        check = self.peers[ask.system].checks.get(ask.kind)
        gc.collect()
        gc.disable()
        try:
            with Client(self.up[ask.system].port, ask.clients) as client:
                return client.open_loop(requests, paced, check) if paced else client.closed_loop(requests, check)
        finally:
            gc.enable()

    def block(self, ask: Ask) -> None:
        """One block as long as the plan says, kept for the figures."""
        load = self.ask(ask, block_size(ask, self.rates[ask], self.seconds))
        self.rates[ask] = load.rate
        self.blocks.setdefault(ask, []).append(load)

    def warm_up(self, group: Sequence[Ask]) -> Iterator[tuple[Ask, str]]:
        """Learn how fast each cell is; those that are too slow, with the reason."""
        for ask in group:
            try:
                first = self.ask(ask, ask.clients)
                if first.seconds > _TOO_SLOW:
                    yield ask, f"{first.seconds:.0f} s for {ask.clients} answers"
                    continue
                few = self.ask(ask, block_size(ask, first.rate, self.seconds / 4))
            except BadAnswerError as error:
                yield ask, str(error)
                continue
            self.rates[ask] = few.rate


def _start_times(peers: Mapping[str, Peer], starts: int, say: Say) -> dict[str, list[float]]:
    """Seconds of all starts but the last, by turns."""
    times: dict[str, list[float]] = {name: [] for name in peers}
    for turn in range(starts - 1):
        for name in list(peers)[:: 1 if turn % 2 == 0 else -1]:
            with running(peers[name].system) as server:
                times[name].append(server.start_seconds)
        say(f"starts {turn + 1} of {starts}")
    return times


def _footprints(session: Session, starts: Mapping[str, list[float]], mixed: int) -> dict[str, Footprint]:
    found = {}
    for name, server in session.up.items():
        for kind, place in ((KINDS[number % 3], number) for number in range(min(mixed, 3))):
            session.ask(Ask(name, kind, _MIXED_SIZES[place], 1), 1)
        requests = [
            session.requests(name, KINDS[number % 3], _MIXED_SIZES[number % len(_MIXED_SIZES)], 1)[0] for number in range(mixed)
        ]
        with Client(server.port, 4) as client:
            client.closed_loop(requests)
        resident, peak = server.memory()
        found[name] = Footprint(start=median_of([*starts[name], server.start_seconds]), resident=resident, peak=peak)
    return found


def _ceiling(extent: Extent, texts: Texts) -> dict[int, float]:
    """How fast the client asks a server that does nothing."""
    found = {}
    with running(System("raw", script("raw"), ready="/")) as server:
        for clients in extent.clients:
            requests = [
                post("/", lookup_body(text)) for text in texts.texts("signed", SIZES["2 KB"], round(6000 * extent.seconds))
            ]
            with Client(server.port, clients) as client:
                client.closed_loop(requests[:100])
                found[clients] = client.closed_loop(requests).rate
    return found


def _cell(ask: Ask, blocks: Sequence[Load], load: str) -> Cell:
    return Cell(
        system=ask.system,
        kind=ask.kind,
        size=ask.size,
        clients=ask.clients,
        load=load,
        requests=sum(len(block.took) for block in blocks),
        p50=p50(blocks),
        p95=percentile(blocks, 95),
        p99=percentile(blocks, 99),
        rate=rate(blocks),
        odd=sum(block.odd for block in blocks),
    )


def _half_load(session: Session, rounds: int) -> dict[Ask, list[Load]]:
    """Errdex at half the rate that it reached, requests coming evenly."""
    found: dict[Ask, list[Load]] = {}
    asks = [ask for ask in session.blocks if ask.system == "errdex" and ask.size == "2 KB" and ask.clients > 1]
    for turn in range(rounds):
        for ask in abba(asks, turn):
            pace = rate(session.blocks[ask]) / 2
            found.setdefault(ask, []).append(session.ask(ask, max(20, round(pace * session.seconds * 3)), pace))
    return found


def figures(blocks: Mapping[Ask, Sequence[Load]], half: Mapping[Ask, Sequence[Load]]) -> dict[str, Estimate]:
    """Everything that is compared, by the names that `errdex.bars` knows; what was not measured is not there."""
    many = max((ask.clients for ask in blocks), default=1)
    signed, new, repeated = (Ask("errdex", kind, "2 KB", 1) for kind in KINDS)
    signed_many, new_many = (Ask("errdex", kind, "2 KB", many) for kind in ("signed", "new"))
    echo, echo_many = Ask("echo", "signed", "2 KB", 1), Ask("echo", "signed", "2 KB", many)
    wanted: dict[str, tuple[Callable[..., float], tuple[Ask, ...]]] = {
        "signed_rate_to_echo": (ratio(rate), (signed_many, echo_many)),
        "signed_rate_to_echo_alone": (ratio(rate), (signed, echo)),
        "signed_p50": (p50, (signed,)),
        "new_tail": (tail, (new_many,)),
        "signed_tail": (tail, (signed_many,)),
        "repeated_gain": (ratio(p50), (new, repeated)),
    }
    for kind in KINDS:
        wanted[f"{kind}_long"] = (ratio(p50), (Ask("errdex", kind, "300 KB", 1), Ask("errdex", kind, "2 KB", 1)))
    for peer in ("naive", "txtai"):
        wanted[f"new_gain_{peer}"] = (ratio(p50), (Ask(peer, "new", "2 KB", 1), new))
        wanted[f"new_rate_to_{peer}"] = (ratio(rate), (new_many, Ask(peer, "new", "2 KB", many)))
    found = {
        name: estimate(*(blocks[ask] for ask in asks), of=figure)
        for name, (figure, asks) in wanted.items()
        if all(ask in blocks for ask in asks)
    }
    return found | {f"{ask.kind}_tail_half_load": estimate(loads, of=tail) for ask, loads in half.items()}


def measure(settings: Settings, extent: Extent, wanted: Sequence[str], say: Say) -> Speed:
    """Start every server, ask them by turns, and work out what there is to say.

    Args:
        settings: the index and the knowledge that errdex serves.
        extent: how much is measured.
        wanted: which systems; a peer whose packages are not installed is left out.
        say: takes a line of progress.

    Raises:
        ServerError: errdex or the echo does not start.
        BadAnswerError: a server answers wrongly in the middle of the run.
    """
    begin, watch = time.perf_counter(), Watch()
    catalog = load_catalog(settings.kb)
    texts = Texts.of(catalog, Lookup(load_index(settings.index), None))
    left_out: list[str] = []
    with on_core(CLIENT_CORE), tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        peers = comparison(settings, catalog.digest, Path(scratch))
        for name in list(peers):
            lacking = missing(name)
            if name not in wanted or lacking:
                del peers[name]
            if lacking and name in wanted:
                left_out.append(f"{name}: not installed ({', '.join(lacking)}); pip install 'errdex[benchmark]'")
        for name, peer in peers.items():
            say(f"{name}: index")
            prepare(peer)
        starts = _start_times(peers, extent.starts, say)
        ceiling = _ceiling(extent, texts)
        up = {name: stack.enter_context(running(peer.system)) for name, peer in peers.items()}
        session = Session(peers, up, texts, extent.seconds)
        footprints = _footprints(session, starts, extent.mixed)
        say("memory is read")
        plan = groups(extent, up)
        for group in plan:
            for ask, reason in list(session.warm_up(group)):
                group.remove(ask)
                left_out.append(f"{ask.system}, {ask.kind}, {ask.size}, {ask.clients} clients: {reason}")
        for turn in range(extent.rounds * 2):
            for group in plan:
                for ask in abba(group, turn):
                    session.block(ask)
            say(f"turn {turn + 1} of {extent.rounds * 2}")
        half = _half_load(session, extent.rounds)
        growth = growth_of_reading(extent.growth)
    return Speed(
        date=date.today(),
        errdex=__version__,
        entries=len(catalog.active),
        rounds=extent.rounds,
        seconds=time.perf_counter() - begin,
        machine=watch.finish(),
        ceiling=ceiling,
        cells=[_cell(ask, loads, "full") for ask, loads in session.blocks.items()]
        + [_cell(ask, loads, _HALF_LOAD) for ask, loads in half.items()],
        footprints=footprints,
        figures=figures(session.blocks, half),
        growth=growth,
        left_out=left_out,
    )
