"""What words and meaning say of each entry, before it is weighed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from errdex.entry import Entry
from errdex.features import RETRIEVAL_FEATURES, WORD_FEATURES, Traits, retrieval_features, version_differs
from errdex.report import read_report
from tests.made import make_entry

TRACE = """Traceback (most recent call last):
  File "train.py", line 1, in <module>
    step()
ValueError: the lever is stuck

bye"""
LAUNCHER = "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \ntrain.py FAILED"
OTHER = make_entry("ZZZ001", "another wording", products=["peft"])


@pytest.mark.parametrize(
    ("wanted", "seen", "differs"),
    [
        ({"torch": ">=2"}, "torch==1.13.1", True),
        ({"torch": ">=2"}, "torch==2.1.0", False),
        ({"torch": "<2.4"}, "torch==2.4.0.dev20240101", True),
        ({"torch": ">=2.3"}, "torch==2.4.0.dev20240101", False),
        ({"torch": ">=2"}, "nothing", False),
        ({"torch": ">=2"}, "peft==0.1.0", False),
        ({"peft": "<0.5", "torch": ">=2"}, "torch==1.13.1 peft==0.4.0", True),
        ({}, "torch==1.13.1", False),
    ],
)
def test_a_version_in_which_the_error_does_not_occur(wanted: dict[str, str], seen: str, differs: bool) -> None:
    assert version_differs(make_entry("AMP001", "some wording", versions=wanted), read_report(seen)) is differs


def features_of(entry: Entry, text: str, words: frozenset[str] = frozenset()) -> dict[str, float]:
    """The first of two entries; the second is of peft, which is a known library for that."""
    columns = Traits([entry, OTHER]).columns(read_report(text), words)
    return {name: float(column[0]) for name, column in columns.items()}


@pytest.mark.parametrize(
    ("text", "exceptions", "differs"),
    [
        (TRACE, ["ValueError"], 0),
        (TRACE, ["KeyError"], 1),
        (TRACE, [], 0),
        (LAUNCHER, ["KeyError"], 0),
        ("no exception", ["KeyError"], 0),
    ],
)
def test_the_type_of_the_exception_is_compared(text: str, exceptions: list[str], differs: float) -> None:
    assert features_of(make_entry("AMP001", "some wording", exceptions=exceptions), text)["type_differs"] == differs


@pytest.mark.parametrize(
    ("library", "foreign", "seen"),
    [("torch", 0, 1), ("peft", 0, 0), ("sklearn", 1, 0), (None, 0, 0)],
)
def test_the_libraries_of_the_frames_are_compared(library: str | None, foreign: float, seen: float) -> None:
    text = f'  File "/x/site-packages/{library}/a.py", line 1, in f\n{TRACE}' if library else TRACE
    features = features_of(make_entry("AMP001", "some wording"), text)
    assert (features["foreign"], features["product_seen"]) == (foreign, seen)


def test_a_product_may_also_be_named_in_words() -> None:
    assert features_of(make_entry("AMP001"), "how", frozenset({"torch"}))["product_seen"] == 1


ARRAYS = st.integers(1, 6).flatmap(lambda n: st.tuples(*[st.lists(st.floats(0, 1, width=32), min_size=n, max_size=n)] * 5))


def array(values: list[float]) -> NDArray[np.float32]:
    return np.asarray(values, dtype=np.float32)


@settings(max_examples=100, deadline=None)
@given(ARRAYS)
def test_each_feature_of_a_found_entry_is_a_known_number(columns: tuple[list[float], ...]) -> None:
    scores, covered, body_scores, body_covered, cosines = (array(values) for values in columns)
    traits = Traits([make_entry(f"AMP{number:03}") for number in range(len(cosines))]).columns(read_report("how"), frozenset())
    head, body = (scores, covered), (body_scores, body_covered)
    found = retrieval_features(traits, head, body, cosines)
    assert set(found) == set(RETRIEVAL_FEATURES)
    assert set(retrieval_features(traits, head, body, None)) == set(WORD_FEATURES)
    for name, column in found.items():
        assert column.shape == cosines.shape, name
        assert np.isfinite(column).all(), name
    assert (found["head_share"] >= 0).all()
    assert (found["body_share"] <= 1).all()
    assert found["cosine_margin"].max() >= 0
    assert (found["cosine_margin"] > 0).sum() <= 1


def test_words_that_nobody_has_give_no_share() -> None:
    zeros = np.zeros(2, dtype=np.float32)
    traits = Traits([make_entry("AMP001"), make_entry("AMP002")]).columns(read_report("how"), frozenset())
    found = retrieval_features(traits, (zeros, zeros), (zeros, zeros), zeros)
    assert [*found["head_share"], *found["body_share"]] == [0, 0, 0, 0]
