"""Entries and encoders made for tests that need a particular one."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from errdex.encoder import Encoder, Role
from errdex.entry import LANGS, Entry, Signature
from errdex.page import parse_page
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
