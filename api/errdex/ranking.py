"""Orders candidates and says how sure it is: features in, calibrated confidence and status out."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version
from pydantic import BaseModel, ConfigDict, model_validator

from errdex.entry import Entry
from errdex.models import Status
from errdex.report import Report, is_warning, is_wrapper
from errdex.signatures import Hit
from errdex.tracebacks import Raised

# The shape fits, what stands behind it is open: worth showing, unless the log is of libraries that errdex does not know.
GENERIC_CONFIDENCE = 0.3
_COVERED = 0.4  # coverage from which on a first place counts in full
CLEAR_LEAD = 0.1  # confidence by which the first must lead, where words and meaning decide
COEFFICIENTS = Path(__file__).resolve().parent / "ranking.json"


class Place(IntEnum):
    """Where a signature stands; a higher place says more about what the log is about."""

    ELSEWHERE = 0
    ROOT = 1


class Tier(IntEnum):
    """What a candidate rests on. A candidate never stands above one of a higher tier."""

    RETRIEVED = 0
    WRAPPER = 1
    ELSEWHERE = 2
    ROOT = 3


SIGNED = tuple(tier.name.lower() for tier in Tier if tier is not Tier.RETRIEVED)
RETRIEVAL_FEATURES = (
    "bias", "head_coverage", "body_coverage", "head_share", "body_share", "cosine", "cosine_margin", "unmatched",
    "type_differs", "product_seen", "foreign", "version_differs", "wrapper", "error",
)  # fmt: skip
MODEL_FEATURES = ("cosine", "cosine_margin")  # what only the model can tell
WORD_FEATURES = tuple(name for name in RETRIEVAL_FEATURES if name not in MODEL_FEATURES)


class Coefficients(BaseModel):
    """The reviewed numbers of `ranking.json` for ranking with or without the model, fitted by `errdex benchmark --fit`.

    Attributes:
        match: confidence from which on the first result is vouched for.
        candidates: confidence from which on a result found by words and meaning is shown.
        signature: for each tier that a signature gives, how often its entry was the right one.
        retrieval: weight of each feature of what words and meaning found; without the model, of `WORD_FEATURES` alone.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    match: float
    candidates: float
    signature: dict[str, float]
    retrieval: dict[str, float]

    @model_validator(mode="after")
    def _knows_every_feature(self) -> "Coefficients":
        if set(self.signature) != set(SIGNED) or set(self.retrieval) not in (set(RETRIEVAL_FEATURES), set(WORD_FEATURES)):
            raise ValueError("the coefficients are of other features; run `errdex benchmark --fit`")
        return self


@cache
def load_coefficients(path: Path = COEFFICIENTS, *, model: bool = True) -> Coefficients:
    """The numbers that ship with this version.

    Args:
        path: the reviewed file.
        model: whether the model takes part; without it the words alone decide, by weights and thresholds of their own.
    """
    return Coefficients.model_validate(json.loads(path.read_text(encoding="utf-8"))["with_model" if model else "without_model"])


@dataclass(frozen=True)
class Candidate:
    """One entry that may answer.

    Attributes:
        position: its place in `Index.entries`.
        features: by name; those of its tier's model.
        hit: the signature that stands in the text, if one does.
    """

    position: int
    entry: Entry
    tier: Tier
    features: dict[str, float]
    hit: Hit | None = None


@dataclass(frozen=True)
class Ranked:
    """A candidate with its confidence."""

    candidate: Candidate
    confidence: float


def place_of(hit: Hit, root: Raised | None) -> Place:
    """Whether a hit stands in the root error, or somewhere else in a log that has another root."""
    if root is None or root.quoted or is_wrapper(root) or is_warning(root) or root.start <= hit.line <= root.end:
        return Place.ROOT
    # A kernel's assertion is printed at once; the host learns of it later, by whatever call comes next.
    asserted = root.message.startswith("CUDA error") and "Assertion `" in hit.text
    return Place.ROOT if asserted else Place.ELSEWHERE


def _known_root(hits: Sequence[Hit], report: Report) -> Raised | None:
    """The innermost exception of the root's chain in which a wording stands; the root when there is none."""
    for raised in report.chain:
        if any(not hit.generic and place_of(hit, raised) is Place.ROOT for hit in hits):
            return raised
    return report.root


def best_hits(hits: Sequence[Hit], report: Report) -> dict[str, tuple[Place, Hit]]:
    """For each entry its best hit: at the root rather than elsewhere, then the one that says most, then the first."""
    best: dict[str, tuple[Place, Hit]] = {}
    root = _known_root(hits, report)
    for hit in hits:
        place = place_of(hit, root)
        known = best.get(hit.entry_id)
        if known is None or (place, hit.worth) > (known[0], known[1].worth):
            best[hit.entry_id] = (place, hit)
    return best


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


@dataclass(frozen=True)
class Context:
    """What the report says about any entry, worked out once."""

    report: Report
    words: frozenset[str]
    known_products: frozenset[str]

    def of(self, entry: Entry) -> dict[str, float]:
        """Features that need no search: exception type, libraries, versions.

        `unmatched` is for what a program printed, when the entry is found in it by words only: had it been this error, a
        signature would have stood in it.
        """
        root = self.report.root
        typed = root is not None and not is_wrapper(root) and bool(entry.exceptions)
        same = typed and root is not None and root.type in entry.exceptions
        seen = self.report.libraries | self.words
        return {
            "bias": 1.0,
            "unmatched": float(entry.kind == "error" and not self.report.is_question),
            "type_differs": float(typed and not same),
            "product_seen": float(any(product in seen for product in entry.products)),
            "foreign": float(bool(self.report.libraries) and not self.report.libraries & self.known_products),
            "version_differs": float(version_differs(entry, self.report)),
            "generic": 0.0,
            "wrapper": float(entry.role == "wrapper"),
            "error": float(entry.kind == "error"),
        }


def tier_of(entry: Entry, place: Place, hit: Hit, report: Report) -> Tier:
    """The tier that a signature hit gives its entry."""
    if hit.generic:
        return Tier.RETRIEVED
    root = report.root
    if entry.role == "wrapper":
        itself = root is not None and place is Place.ROOT and root.type in entry.exceptions
        alone = root is None or is_wrapper(root) or is_warning(root) or itself
        return Tier.WRAPPER if alone else Tier.RETRIEVED
    return Tier.ROOT if place is Place.ROOT else Tier.ELSEWHERE


def retrieval_features(
    context: Context,
    entries: Sequence[Entry],
    head: tuple[NDArray[np.float32], NDArray[np.float32]],
    body: tuple[NDArray[np.float32], NDArray[np.float32]],
    cosines: NDArray[np.float32] | None,
) -> list[dict[str, float]]:
    """Features of every entry that is found by words or meaning.

    Args:
        context: what the report says.
        entries: entries of the index, n of them.
        head: BM25 and coverage over titles and wordings, each of shape (n,).
        body: the same over whole pages.
        cosines: best cosine of each entry's passages, shape (n,); None where the model does not take part.
    """
    head_share, body_share = (scores / scores.max() if scores.size and scores.max() > 0 else scores for scores, _ in (head, body))
    meanings = _meaning_features(cosines) if cosines is not None else ({} for _ in entries)
    return [
        context.of(entry)
        | {
            "head_coverage": float(head[1][position]),
            "body_coverage": float(body[1][position]),
            # Something always stands first: that counts for little when it covers little of what was asked.
            "head_share": float(head_share[position] * min(1.0, head[1][position] / _COVERED)),
            "body_share": float(body_share[position] * min(1.0, body[1][position] / _COVERED)),
        }
        | meaning
        for position, (entry, meaning) in enumerate(zip(entries, meanings, strict=True))
    ]


def _meaning_features(cosines: NDArray[np.float32]) -> Iterator[dict[str, float]]:
    """What the model says of each entry."""
    order = np.sort(cosines)[::-1]
    for cosine in cosines:
        rival = order[1] if cosine == order[0] and order.size > 1 else order[0]
        yield {"cosine": (float(cosine) - 0.8) * 5, "cosine_margin": float(cosine - rival) * 10}


def confidence(candidate: Candidate, coefficients: Coefficients) -> float:
    """Probability that this is the right entry, 0 to 1.

    For a signature, how often one of its tier was right on labelled reports; for words and meaning, a logistic model.
    """
    if candidate.tier is not Tier.RETRIEVED:
        return coefficients.signature[candidate.tier.name.lower()]
    logit = sum(weight * candidate.features.get(name, 0.0) for name, weight in coefficients.retrieval.items())
    probability = float(1.0 / (1.0 + np.exp(-np.clip(logit, -30, 30))))
    generic = candidate.features.get("generic") and not candidate.features.get("foreign")
    return max(probability, GENERIC_CONFIDENCE) if generic else probability


def rank(candidates: Sequence[Candidate], coefficients: Coefficients) -> list[Ranked]:
    """Best first: by tier, errors before warnings, confidence, the version that the log shows, length of the match, and id."""
    ranked = [Ranked(candidate, confidence(candidate, coefficients)) for candidate in candidates]

    def key(item: Ranked) -> tuple[int, bool, float, bool, int, str]:
        candidate = item.candidate
        aside = bool(candidate.features.get("aside"))
        differs = bool(candidate.features.get("version_differs"))
        length = candidate.hit.length if candidate.hit else 0
        return (-candidate.tier, aside, -round(item.confidence, 6), differs, -length, candidate.entry.id)

    return sorted(ranked, key=key)


def status_of(ranked: Sequence[Ranked], report: Report, coefficients: Coefficients) -> tuple[Status, list[Ranked]]:
    """The verdict, and the candidates that are worth showing.

    Args:
        ranked: best first.
        report: what was read.
        coefficients: thresholds.
    """
    shown = [item for item in ranked if item.candidate.tier > Tier.RETRIEVED or item.confidence >= coefficients.candidates]
    if not shown:
        return Status.NO_MATCH, []
    first = shown[0]
    sure = first.confidence >= coefficients.match
    if first.candidate.features.get("aside") and any(not report.is_aside(line.number) for line in report.error_lines):
        # A warning is the only thing known, and the log goes on to complain of something else.
        sure = False
    if first.candidate.tier is Tier.ELSEWHERE:
        # The log holds this error, but it is about another one, which errdex does not know.
        sure = False
    elif first.candidate.tier is Tier.RETRIEVED:
        # Had a program printed this error, a signature would stand in it: on labelled reports such a guess was right half of
        # the time.
        # And two siblings that fit alike make naming one a guess.
        alike = len(shown) > 1 and first.confidence - shown[1].confidence < CLEAR_LEAD
        sure = sure and report.is_question and not alike
    return (Status.MATCH if sure else Status.CANDIDATES), shown
