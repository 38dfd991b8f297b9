import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from errdex.features import RETRIEVAL_FEATURES, WORD_FEATURES
from errdex.models import Status
from errdex.ranking import (
    COEFFICIENTS,
    GENERIC_CONFIDENCE,
    SIGNED,
    Candidate,
    Coefficients,
    Place,
    Ranked,
    Tier,
    best_hits,
    confidence,
    load_coefficients,
    place_of,
    rank,
    shortlist,
    status_of,
    tier_of,
)
from errdex.report import read_report
from errdex.signatures import Hit
from tests.made import make_entry

NUMBERS = st.floats(-1e6, 1e6)
WEIGHTS = st.builds(
    Coefficients,
    match=st.floats(0, 1),
    candidates=st.floats(0, 1),
    signature=st.fixed_dictionaries(dict.fromkeys(SIGNED, st.floats(0, 1))),
    retrieval=st.fixed_dictionaries(dict.fromkeys(RETRIEVAL_FEATURES, NUMBERS)),
)
FEATURES = st.dictionaries(st.sampled_from(sorted({*RETRIEVAL_FEATURES, "generic"})), NUMBERS)
TRACE = """Traceback (most recent call last):
  File "train.py", line 1, in <module>
    step()
ValueError: the lever is stuck

bye"""
LAUNCHER = "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \ntrain.py FAILED"


def hit(entry_id: str = "AMP001", *, generic: bool = False, line: int = 4, length: int = 10) -> Hit:
    return Hit(entry_id, generic, line, "text", length, {})


def candidate(
    entry_id: str, tier: Tier, features: dict[str, float] | None = None, found: Hit | None = None, role: str = "cause"
) -> Candidate:
    return Candidate(0, make_entry(entry_id, "some wording", role=role), tier, features or {}, found)


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    numbers = draw(st.lists(st.integers(0, 999), unique=True, max_size=8))
    return [candidate(f"AMP{number:03}", draw(st.sampled_from(Tier)), draw(FEATURES)) for number in numbers]


@settings(max_examples=200, deadline=None)
@given(candidates(), WEIGHTS)
def test_nothing_stands_above_better_evidence_whatever_the_numbers(given_: list[Candidate], weights: Coefficients) -> None:
    ranked = rank(given_, weights)
    tiers = [item.candidate.tier for item in ranked]
    assert tiers == sorted(tiers, reverse=True)
    assert sorted(item.candidate.entry.id for item in ranked) == sorted(item.entry.id for item in given_)
    assert all(0 <= item.confidence <= 1 for item in ranked)
    for tier in Tier:
        within = [round(item.confidence, 6) for item in ranked if item.candidate.tier is tier]
        assert within == sorted(within, reverse=True)


@settings(max_examples=100, deadline=None)
@given(candidates(), WEIGHTS, st.randoms())
def test_the_order_given_does_not_matter(given_: list[Candidate], weights: Coefficients, random: st.DataObject) -> None:
    shuffled = list(given_)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # st.randoms() gives a random.Random
    assert rank(shuffled, weights) == rank(given_, weights)


@pytest.mark.parametrize("tier", Tier)
def test_ties_break_by_length_then_id(tier: Tier) -> None:
    tied = [
        candidate("DST001", tier),
        candidate("AMP002", tier),
        candidate("AMP001", tier),
        candidate("MEM001", tier, found=hit(length=30)),
        candidate("CUD001", tier, found=hit(length=20)),
    ]
    assert [item.candidate.entry.id for item in rank(tied, load_coefficients())] == [
        "MEM001",
        "CUD001",
        "AMP001",
        "AMP002",
        "DST001",
    ]


@settings(max_examples=200, deadline=None)
@given(FEATURES, WEIGHTS, st.sampled_from(RETRIEVAL_FEATURES), st.floats(0, 100))
def test_confidence_follows_the_sign_of_a_weight(
    features: dict[str, float], weights: Coefficients, name: str, step: float
) -> None:
    more = features | {name: features.get(name, 0.0) + step}
    before, after = (confidence(candidate("AMP001", Tier.RETRIEVED, values), weights) for values in (features, more))
    if name == "foreign" and features.get("generic"):
        return  # takes away what a generic signature gives
    # The sum of numbers this large is not exact.
    assert after >= before - 1e-6 if weights.retrieval[name] >= 0 else after <= before + 1e-6


@given(st.sampled_from([tier for tier in Tier if tier is not Tier.RETRIEVED]), FEATURES, WEIGHTS)
def test_the_confidence_of_a_signature_is_that_of_its_tier(tier: Tier, features: dict[str, float], weights: Coefficients) -> None:
    assert confidence(candidate("AMP001", tier, features), weights) == weights.signature[tier.name.lower()]


def test_a_version_that_does_not_fit_stands_behind_one_that_does() -> None:
    fits = candidate("AMP002", Tier.ROOT, {}, hit("AMP002", length=5))
    differs = candidate("AMP001", Tier.ROOT, {"version_differs": 1.0}, hit("AMP001", length=50))
    assert [item.candidate.entry.id for item in rank([differs, fits], load_coefficients())] == ["AMP002", "AMP001"]


def test_words_alone_do_not_vouch_for_what_a_program_printed() -> None:
    alike = Ranked(candidate("AMP001", Tier.RETRIEVED, {"unmatched": 1.0}), 0.99)
    assert status_of([alike], read_report(TRACE), load_coefficients())[0] is Status.CANDIDATES


@pytest.mark.parametrize(("lead", "status"), [(0.05, Status.CANDIDATES), (0.2, Status.MATCH)])
def test_siblings_that_fit_alike_are_only_candidates(lead: float, status: Status) -> None:
    ranked = [
        Ranked(candidate("AMP001", Tier.RETRIEVED), 0.95),
        Ranked(candidate("AMP002", Tier.RETRIEVED), 0.95 - lead),
    ]
    assert status_of(ranked, read_report("how do I choose?"), load_coefficients())[0] is status


@pytest.mark.parametrize(
    ("features", "floor"), [({"generic": 1.0}, GENERIC_CONFIDENCE), ({"generic": 1.0, "foreign": 1.0}, 0.0), ({}, 0.0)]
)
def test_a_shape_that_fits_is_worth_showing_in_a_log_of_known_libraries(features: dict[str, float], floor: float) -> None:
    low = confidence(candidate("AMP001", Tier.RETRIEVED, features | {"bias": 1.0, "unmatched": 50.0}), load_coefficients())
    assert low == pytest.approx(floor, abs=1e-3)


def test_the_numbers_that_ship_are_of_exactly_the_features() -> None:
    raw = json.loads(COEFFICIENTS.read_text(encoding="utf-8"))
    for kind, features, model in (("with_model", RETRIEVAL_FEATURES, True), ("without_model", WORD_FEATURES, False)):
        assert set(raw[kind]["signature"]) == set(SIGNED)
        assert set(raw[kind]["retrieval"]) == set(features)
        numbers = load_coefficients(model=model)
        assert 0 < numbers.candidates < numbers.match < 1
        assert load_coefficients(model=model) is numbers


@pytest.mark.parametrize(
    ("table", "old", "new"),
    [
        ("signature", "root", None),
        ("signature", "root", "rooot"),
        ("retrieval", "cosine", None),
        ("retrieval", None, "unheard"),
        (None, "match", None),
        (None, None, "extra"),
    ],
)
def test_numbers_of_other_features_are_refused(tmp_path: Path, table: str | None, old: str | None, new: str | None) -> None:
    raw = json.loads(COEFFICIENTS.read_text(encoding="utf-8"))
    numbers = raw["with_model"]
    changed = numbers[table] if table else numbers
    if old:
        del changed[old]
    if new:
        changed[new] = 1.0
    path = tmp_path / "ranking.json"
    path.write_text(json.dumps(raw), encoding="utf-8")
    with pytest.raises(ValidationError):
        load_coefficients(path)


@pytest.mark.parametrize(
    ("text", "line", "place"),
    [
        (TRACE, 1, Place.ROOT),
        (TRACE, 4, Place.ROOT),
        (TRACE, 6, Place.ELSEWHERE),
        ("no exception here\nlever", 2, Place.ROOT),
        (LAUNCHER + "\n\nlever", 4, Place.ROOT),
        ("x.py:1: UserWarning: the lever\n\nlever", 3, Place.ROOT),
        ('raise ValueError("the lever")\n\nlever', 3, Place.ROOT),
    ],
)
def test_where_a_hit_stands(text: str, line: int, place: Place) -> None:
    assert place_of(hit(line=line), read_report(text).root) is place


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (hit(line=4, generic=True, length=1), hit(line=6, length=50)),
        (hit(line=6, length=1), hit(line=6, generic=True, length=50)),
        (hit(line=4, length=11), hit(line=3, length=10)),
        (hit(line=3, length=10), hit(line=4, length=10)),
    ],
)
def test_the_best_hit_of_an_entry(better: Hit, worse: Hit) -> None:
    report = read_report(TRACE)
    ordered = sorted([better, worse], key=lambda found: found.line)
    assert best_hits(ordered, report)["AMP001"][1] == better


def test_each_entry_has_its_own_best_hit() -> None:
    assert set(best_hits([hit("AMP001"), hit("DST001")], read_report(TRACE))) == {"AMP001", "DST001"}


@pytest.mark.parametrize(
    ("role", "text", "place", "generic", "tier"),
    [
        ("cause", TRACE, Place.ROOT, False, Tier.ROOT),
        ("cause", TRACE, Place.ELSEWHERE, False, Tier.ELSEWHERE),
        ("cause", TRACE, Place.ROOT, True, Tier.RETRIEVED),
        ("wrapper", TRACE, Place.ROOT, False, Tier.RETRIEVED),
        ("wrapper", TRACE.replace("ValueError", "LeverError"), Place.ROOT, False, Tier.WRAPPER),
        ("wrapper", TRACE, Place.ELSEWHERE, False, Tier.RETRIEVED),
        ("wrapper", LAUNCHER, Place.ROOT, False, Tier.WRAPPER),
        ("wrapper", "no exception", Place.ROOT, False, Tier.WRAPPER),
        ("wrapper", LAUNCHER, Place.ROOT, True, Tier.RETRIEVED),
    ],
)
def test_the_tier_that_a_signature_gives(role: str, text: str, place: Place, generic: bool, tier: Tier) -> None:
    entry = make_entry("AMP001", "some wording", role=role, exceptions=["LeverError"])
    assert tier_of(entry, place, hit(generic=generic), read_report(text)) is tier


def test_a_shape_stands_below_a_wording_and_a_wrapper_below_its_cause() -> None:
    assert Tier.RETRIEVED < Tier.WRAPPER < Tier.ELSEWHERE < Tier.ROOT


def verdict(text: str, *ranked: Ranked) -> Status:
    return status_of(ranked, read_report(text), load_coefficients())[0]


@pytest.mark.parametrize("sure", [0.0, 0.4, 0.999, 1.0])
def test_an_error_that_the_log_is_not_about_is_never_the_answer(sure: float) -> None:
    assert verdict(TRACE, Ranked(candidate("AMP001", Tier.ELSEWHERE, found=hit()), sure)) is Status.CANDIDATES


@pytest.mark.parametrize(
    ("tier", "features", "role", "text", "sure", "status"),
    [
        (Tier.ROOT, {}, "cause", TRACE, 0.9, Status.MATCH),
        (Tier.ROOT, {}, "cause", TRACE, 0.01, Status.CANDIDATES),
        (Tier.WRAPPER, {}, "wrapper", LAUNCHER, 0.9, Status.MATCH),
        (Tier.RETRIEVED, {}, "wrapper", TRACE, 0.9, Status.CANDIDATES),
        (Tier.RETRIEVED, {}, "cause", TRACE, 0.9, Status.CANDIDATES),
        (Tier.RETRIEVED, {"generic": 1.0}, "cause", TRACE, 0.9, Status.CANDIDATES),
        (Tier.RETRIEVED, {}, "cause", "why is the lever stuck?", 0.9, Status.MATCH),
        (Tier.RETRIEVED, {}, "cause", TRACE, 0.01, Status.NO_MATCH),
    ],
)
def test_how_sure_the_answer_is(
    tier: Tier, features: dict[str, float], role: str, text: str, sure: float, status: Status
) -> None:
    assert verdict(text, Ranked(candidate("AMP001", tier, features, role=role), sure)) is status


def test_nothing_found_is_no_match() -> None:
    assert status_of([], read_report(TRACE), load_coefficients()) == (Status.NO_MATCH, [])


def test_what_is_too_far_is_not_shown() -> None:
    near, far = (Ranked(candidate(i, Tier.RETRIEVED), sure) for i, sure in (("AMP001", 0.9), ("AMP002", 0.01)))
    assert status_of([near, far], read_report(TRACE), load_coefficients())[1] == [near]


SHAPES = st.dictionaries(st.integers(0, 5), st.integers(1, 50))


@settings(max_examples=200, deadline=None)
@given(st.data(), WEIGHTS, SHAPES, st.integers(1, 6))
def test_the_shortlist_is_the_head_of_the_ranking(
    data: st.DataObject, weights: Coefficients, shapes: dict[int, int], count: int
) -> None:
    size = 6
    numbers = st.lists(st.floats(-3, 3), min_size=size, max_size=size)
    flags = st.lists(st.sampled_from([0.0, 1.0]), min_size=size, max_size=size)
    foreign = [data.draw(st.sampled_from([0.0, 1.0]))] * size
    drawn = {name: data.draw(flags if name == "version_differs" else numbers) for name in RETRIEVAL_FEATURES}
    columns = {name: np.array(values) for name, values in (drawn | {"foreign": foreign}).items()}
    found = []
    for position in range(size):
        values = {name: float(column[position]) for name, column in columns.items()} | {"generic": float(position in shapes)}
        shape = hit(f"AMP{position:03}", generic=True, length=shapes[position]) if position in shapes else None
        found.append(Candidate(position, make_entry(f"AMP{position:03}", "some wording"), Tier.RETRIEVED, values, shape))
    wanted = [item.candidate.position for item in rank(found, weights)][:count]
    assert shortlist(columns, shapes, weights, count) == wanted
