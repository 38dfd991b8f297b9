"""Entries, encoders and a run of the speed benchmark, made for tests that need a particular one."""

from collections.abc import Sequence
from datetime import date

import numpy as np
from numpy.typing import NDArray

from errdex.encoder import Encoder, Role
from errdex.entry import LANGS, Entry, Signature
from errdex.page import parse_page
from errdex.speed import Cell, Estimate, Footprint, Machine, Speed
from tests.trees import ENGLISH


def make_entry(
    entry_id: str = "AMP001",
    *signatures: str | Signature,
    role: str = "cause",
    exceptions: Sequence[str] = (),
    versions: dict[str, str] | None = None,
    products: Sequence[str] = ("torch",),
) -> Entry:
    """An entry with these signatures; a guide when there is none."""
    return Entry.model_validate(
        {
            "id": entry_id,
            "status": "active",
            "kind": "error" if signatures else "guide",
            "role": role,
            "products": list(products),
            "versions": versions or {},
            "exceptions": list(exceptions),
            "related": [],
            "sources": ["https://example.org/docs"],
            "signature": [s if isinstance(s, Signature) else Signature(pattern=s) for s in signatures],
            "repro": {},
            "area": entry_id[:3].lower(),
            "slug": f"slug-of-{entry_id.lower()}",
            "pages": {lang: parse_page(ENGLISH) for lang in LANGS},
        },
    )


class CountingEncoder:
    """A real encoder that remembers what it was asked to encode."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.texts: list[str] = []

    @property
    def name(self) -> str:
        return self._encoder.name

    @property
    def dimension(self) -> int:
        return self._encoder.dimension

    def encode(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        self.texts += texts
        return self._encoder.encode(texts, role)


def made_speed() -> Speed:
    """A run without the peers, with figures that were never measured."""

    def cell(system: str, kind: str) -> Cell:
        return Cell(
            system=system,
            kind=kind,
            size="2 KB",
            clients=1,
            load="full",
            requests=100,
            p50=0.8,
            p95=1.6,
            p99=2.4,
            rate=1200,
            odd=1,
        )

    return Speed(
        date=date(2026, 1, 2),
        errdex="0.0.0",
        entries=3,
        rounds=5,
        seconds=60,
        machine=Machine(
            cpu="a processor",
            cores=2,
            python="3.11",
            libraries={"numpy": "2"},
            load_before=1.5,
            load_after=2,
            steal=0.02,
            busy_elsewhere=0.1,
        ),
        ceiling={1: 9000, 16: 20_000},
        cells=[cell("errdex", "signed"), cell("echo", "signed")],
        footprints={"errdex": Footprint(start=Estimate(value=1.6, low=1.4, high=1.8), resident=200, peak=210)},
        figures={"signed_p50": Estimate(value=0.8, low=0.7, high=0.9)},
        growth={"log lines": 2.0},
        left_out=["txtai: not installed"],
    )
