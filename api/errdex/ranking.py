"""Orders candidates and says how sure it is: features in, calibrated confidence and status out."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict, model_validator

from errdex.entry import Entry
from errdex.features import RETRIEVAL_FEATURES, WORD_FEATURES, Column
from errdex.models import Status
from errdex.report import Report, is_warning, is_wrapper
from errdex.signatures import Hit
from errdex.tracebacks import Raised

# The shape fits, what stands behind it is open: worth showing, unless the log is of libraries that errdex does not know.
GENERIC_CONFIDENCE = 0.3
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


def confidence(candidate: Candidate, coefficients: Coefficients) -> float:
    """Probability that this is the right entry, 0 to 1.

    For a signature, how often one of its tier was right on labelled reports; for words and meaning, a logistic model.
    """
    if candidate.tier is not Tier.RETRIEVED:
        return coefficients.signature[candidate.tier.name.lower()]
    logit = sum(weight * candidate.features.get(name, 0.0) for name, weight in coefficients.retrieval.items())
    generic = candidate.features.get("generic") and not candidate.features.get("foreign")
    probability = float(_logistic(logit))
    return max(probability, GENERIC_CONFIDENCE) if generic else probability


def _logistic(logit: float | Column) -> Column:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(logit, -30, 30))))


def shortlist(features: Mapping[str, Column], lengths: Mapping[int, int], coefficients: Coefficients, count: int) -> list[int]:
    """Positions of the entries that `rank` would put first, of all that words and meaning found.

    Args:
        features: a column per feature.
        lengths: for each entry whose shape stands in the root error, the characters matched.
        coefficients: weights.
        count: how many to keep.
    """
    logits = sum((weight * features[name] for name, weight in coefficients.retrieval.items()), np.zeros_like(features["bias"]))
    sure = _logistic(logits)
    matched = np.zeros_like(sure)
    for position, length in lengths.items():
        matched[position] = length
        if not features["foreign"][position]:
            sure[position] = max(sure[position], GENERIC_CONFIDENCE)
    order = np.lexsort((np.arange(sure.size), -matched, features["version_differs"], -np.round(sure, 6)))
    return [int(position) for position in order[:count]]


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
