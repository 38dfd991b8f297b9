"""What words and meaning say of each entry: one column of numbers per feature, worked out for all entries at once."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from errdex.entry import Entry
from errdex.report import Report, is_wrapper

Column = NDArray[np.float64]  # one number per entry, shape (entries,)
Words = tuple[NDArray[np.float32], NDArray[np.float32]]  # BM25 and coverage of each entry, both of shape (entries,)
RETRIEVAL_FEATURES = (
    "bias", "head_coverage", "body_coverage", "head_share", "body_share", "cosine", "cosine_margin", "unmatched",
    "type_differs", "product_seen", "foreign", "version_differs", "wrapper", "error",
)  # fmt: skip
MODEL_FEATURES = ("cosine", "cosine_margin")  # what only the model can tell
WORD_FEATURES = tuple(name for name in RETRIEVAL_FEATURES if name not in MODEL_FEATURES)
_COVERED = 0.4  # coverage from which on a first place counts in full


def version_differs(entry: Entry, report: Report) -> bool:
    """Whether the log shows a version of a library in which this error does not occur."""
    seen = report.versions
    return any(product in seen and not _allows(wanted, seen[product]) for product, wanted in entry.versions.items())


@lru_cache(maxsize=4096)
def _allows(wanted: str, version: str) -> bool:
    """Whether a version is one of those; what is no version at all counts as one."""
    try:
        return Version(version) in SpecifierSet(wanted, prereleases=True)
    except InvalidVersion:
        return True


class Traits:
    """What is known of the entries before any text is read."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        """Prepare the columns that are the same for every text.

        Args:
            entries: entries of the index, in its order.
        """
        self.products = frozenset(product for entry in entries for product in entry.products)
        self._entries = entries
        self._wrapper = np.array([entry.role == "wrapper" for entry in entries], dtype=np.float64)
        self._error = np.array([entry.kind == "error" for entry in entries], dtype=np.float64)
        self._typed = np.array([bool(entry.exceptions) for entry in entries], dtype=np.float64)
        self._of_type = _positions((name, i) for i, entry in enumerate(entries) for name in entry.exceptions)
        self._of_product = _positions((name, i) for i, entry in enumerate(entries) for name in entry.products)
        self._versioned = [i for i, entry in enumerate(entries) if entry.versions]

    def columns(self, report: Report, words: frozenset[str]) -> dict[str, Column]:
        """Features that need no search: exception type, libraries, versions.

        `unmatched` is for what a program printed, when the entry is found in it by words only: had it been this error, a
        signature would have stood in it.

        Args:
            report: what was read.
            words: tokens of the question.
        """
        size, root = len(self._entries), report.root
        differs, seen, wrong = (np.zeros(size) for _ in range(3))
        if root is not None and not is_wrapper(root):
            differs[:] = self._typed
            differs[self._of_type.get(root.type, [])] = 0
        for product in self.products & (report.libraries | words):
            seen[self._of_product[product]] = 1
        if report.versions:
            wrong[[i for i in self._versioned if version_differs(self._entries[i], report)]] = 1
        foreign = bool(report.libraries) and not report.libraries & self.products
        return {
            "bias": np.ones(size),
            "unmatched": np.zeros(size) if report.is_question else self._error,
            "type_differs": differs,
            "product_seen": seen,
            "foreign": np.full(size, float(foreign)),
            "version_differs": wrong,
            "wrapper": self._wrapper,
            "error": self._error,
        }


def _positions(pairs: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for name, position in pairs:
        found.setdefault(name, []).append(position)
    return found


def retrieval_features(
    traits: Mapping[str, Column],
    head: Words,
    body: Words,
    cosines: NDArray[np.float32] | None,
) -> dict[str, Column]:
    """Features of every entry that is found by words or meaning.

    Args:
        traits: what `Traits.columns` gave.
        head: BM25 and coverage over titles and wordings.
        body: the same over whole pages.
        cosines: best cosine of each entry's passages, shape (entries,); None where the model does not take part.

    Returns:
        A column for each name in `RETRIEVAL_FEATURES`, or in `WORD_FEATURES` without the model.
    """
    found = dict(traits)
    for name, (scores, coverage) in (("head", head), ("body", body)):
        highest = scores.max(initial=0)
        share = scores / highest if highest > 0 else scores
        found[f"{name}_coverage"] = coverage.astype(np.float64)
        # Something always stands first: that counts for little when it covers little of what was asked.
        found[f"{name}_share"] = (share * np.minimum(1.0, coverage / _COVERED)).astype(np.float64)
    if cosines is not None:
        found["cosine"] = (cosines.astype(np.float64) - 0.8) * 5
        first, second = np.sort(cosines)[::-1][[0, min(1, cosines.size - 1)]]
        found["cosine_margin"] = (cosines - np.where(cosines == first, second, first)).astype(np.float64) * 10
    return found
