"""The texts that servers are asked about: every one another text, so that no cache of whole texts can help."""

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from bench.speed.words import error_message, error_name, opening, question
from errdex.benchmark import report_of
from errdex.catalog import Catalog
from errdex.lookup import Lookup
from errdex.ranking import Tier

Kind = Literal["signed", "new", "repeated"]
KINDS: tuple[Kind, ...] = ("signed", "new", "repeated")
SIZES = {"200 B": 200, "2 KB": 2_000, "20 KB": 20_000, "300 KB": 300_000}
_SHORT, _LONG = 150, 1_500  # bytes of a report that is to fit into 200 B, and into 2 KB
_REPEATED = 40  # errors that come again and again
_STANZAS = 64
_FRAME = re.compile(r'File "(?:[^"\n]*[/\\])([^"/\\\n]+)", line \d+')
_HOLE = re.compile(r"<[nfd]>")
# Lines of ordinary logs. None of them complains of anything; every number is another one each time.
_NOISE = """\
step <n> loss <f> lr <f>e-05 grad_norm <f> tokens/s <n>
[2026-03-<d> 10:<d>:<d>,<n>] [INFO] [trainer.py:<n>:log] epoch <d>: train_loss=<f> eval_loss=<f>
2026-03-<d> 11:<d>:<d> INFO dataloader ready: <n> batches of <d>, <d> workers
 <d>%|####      | <n>/<n> [<d>:<d><<d>:<d>, <f>it/s, loss=<f>]
INFO:root:saved checkpoint-<n> to /mnt/runs/exp-<n>/checkpoint-<n> in <f> s
memory allocated <f> GB reserved <f> GB at step <n>
epoch <d> batch <n> accuracy <f> f1 <f> time <f>s
wandb: step <n> | throughput <n> samples/s | eta <d>:<d>:<d>
{'loss': <f>, 'grad_norm': <f>, 'learning_rate': <f>e-05, 'epoch': <f>}
shard <n> of <n> read from /data/part-<n>.tar
""".splitlines()


@cache
def _stanza(number: int) -> tuple[str, tuple[str, ...]]:
    """Some noise in an order of its own, as a format and what each of its places takes."""
    rng = random.Random(number)
    text = "".join(f"{rng.choice(_NOISE)}\n" for _ in range(40))
    holes = tuple(hole[1] for hole in _HOLE.findall(text))
    return _HOLE.sub(lambda hole: "%.4f" if hole[0] == "<f>" else "%d", text.replace("%", "%%")), holes


def _noise(size: int, rng: random.Random) -> str:
    """The last `size` characters of an ordinary log, all of them ASCII."""
    written: list[str] = []
    length = 0
    while length < size:
        text, holes = _stanza(rng.randrange(_STANZAS))
        # random() is many times as fast as randrange().
        number = rng.random
        scale = {"n": 99_999, "f": 9.0, "d": 60}
        written.append(text % tuple(number() * scale[hole] for hole in holes))
        length += len(written[-1])
    return "".join(written)[-size:] if size > 0 else ""


def _elsewhere(report: str, rng: random.Random) -> str:
    """The same report from another machine and another version of the code: other folders and line numbers."""
    folder = f"/home/u{rng.randrange(10**6)}/run-{rng.randrange(10**6)}"
    return _FRAME.sub(lambda frame: f'File "{folder}/{frame[1]}", line {rng.randrange(1, 3000)}', report)


def _within(report: str, size: int, rng: random.Random) -> str:
    """A report at the end of a log of that many bytes."""
    room = size - len(report.encode()) - 1
    return f"{_noise(room, rng)}\n{report}" if room > 0 else report


def unknown_error(number: int, rng: random.Random, size: int) -> str:
    """An error that no entry knows; the number decides its words, `rng` what differs from run to run."""
    name, message = error_name(number), error_message(number)
    where = f"(object at 0x{rng.getrandbits(44):012x}, job {rng.getrandbits(32):08x}-77aa-4bbb-8ccc-{rng.getrandbits(48):012x})"
    if size <= SIZES["200 B"]:
        return f"{name}: {message} (object at 0x{rng.getrandbits(44):012x})"[: size - 1]
    folder = f"/srv/jobs/{rng.randrange(10**6)}/src"
    frames = "".join(
        f'  File "{folder}/{module}.py", line {rng.randrange(1, 3000)}, in {function}\n    {function}(state)\n'
        for module, function in (("launch", "main"), ("stages", "run_stage"), ("parts", f"part_{number % 97}"))
    )
    return f"Traceback (most recent call last):\n{frames}{name}: {message} {where}\n"


def new_text(number: int, rng: random.Random, size: int) -> str:
    """A text that no signature decides: by turns a question, or an unknown error below a person's words."""
    if number % 2:
        asked = question(number // 2)
        room = size - len(asked.encode()) - 1
        return f"{asked}\n{_noise(room, rng)}" if room > 0 else asked
    error = unknown_error(number // 2, rng, size)
    said = opening(number // 2)
    if size <= SIZES["200 B"]:
        return _within(error, size, rng)
    return f"{said}\n{_within(error, size - len(said.encode()) - 1, rng)}"


@dataclass
class Texts:
    """Makes texts that never come twice.

    Attributes:
        short: reports of a line or two that a signature decides, one of each entry.
        long: tracebacks that a signature decides, one of each entry.
    """

    short: Sequence[str]
    long: Sequence[str]
    rng: random.Random
    made: int = 0

    @classmethod
    def of(cls, catalog: Catalog, lookup: Lookup, seed: int = 0) -> "Texts":
        """Texts about the entries of a catalog.

        Args:
            catalog: has the samples.
            lookup: decides which samples a signature answers; it needs no model.
            seed: of everything that varies.
        """
        rng = random.Random(seed)
        short: dict[str, str] = {}
        long: dict[str, str] = {}
        for entry in catalog.active:
            for name, sample in sorted(entry.samples.items()):
                if not name.startswith("hit"):
                    continue
                candidates = [(short, sample)]
                if "Traceback" in sample and len(sample.encode()) <= _LONG:
                    candidates = [(long, sample), (short, sample.strip().splitlines()[-1])]
                for chosen, report in candidates:
                    fits = chosen is long or len(report.encode()) <= _SHORT
                    if fits and entry.id not in chosen and _is_decided(_elsewhere(report, rng), lookup):
                        chosen[entry.id] = report
        return cls(list(short.values()), list(long.values()), rng)

    def text(self, kind: Kind, size: int) -> str:
        """The next text.

        Args:
            kind: what decides its answer.
            size: bytes, which it has or nearly has.
        """
        number = self.made
        self.made += 1
        match kind:
            case "signed":
                reports = self.short if size <= SIZES["200 B"] else self.long
                return _within(_elsewhere(reports[number % len(reports)], self.rng), size, self.rng)
            case "new":
                return new_text(number, self.rng, size)
            case "repeated":
                return _within(unknown_error(number % _REPEATED, self.rng, size), size, self.rng)

    def texts(self, kind: Kind, size: int, count: int) -> Iterator[str]:
        """The next texts."""
        return (self.text(kind, size) for _ in range(count))


def _is_decided(text: str, lookup: Lookup) -> bool:
    return any(candidate.tier is Tier.ROOT for candidate in lookup.candidates(report_of(text)))


def lookup_body(text: str) -> bytes:
    """The body of `POST /lookup`."""
    return json.dumps({"traceback": text}, ensure_ascii=False).encode()


def is_signed(answer: bytes) -> bool:
    """Whether a signature decided this answer of errdex."""
    return b'"stage":"signature"' in answer


def is_retrieved(answer: bytes) -> bool:
    """Whether this answer of errdex needed the model, and had the time for it."""
    return b'"stage":"signature"' not in answer and b'"degraded":true' not in answer
