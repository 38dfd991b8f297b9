import json
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from bench.speed.bodies import KINDS, SIZES, Kind, Texts, is_retrieved, is_signed, lookup_body
from errdex.benchmark import report_of
from errdex.catalog import Catalog
from errdex.encoder import Encoder, Role
from errdex.index import Index
from errdex.lookup import Lookup
from errdex.normalize import normalize
from errdex.signatures import units_of


class CountingEncoder:
    """The real encoder, which notes each query."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.name = encoder.name
        self.dimension = encoder.dimension
        self.queries: list[str] = []

    def encode(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        self.queries += texts
        return self._encoder.encode(texts, role)


@pytest.fixture(scope="module")
def texts(catalog: Catalog, index: Index) -> Texts:
    return Texts.of(catalog, Lookup(index, None))


def test_enough_entries_take_their_turn(texts: Texts) -> None:
    assert len(texts.short) >= 50
    assert len(texts.long) >= 50


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", SIZES.values())
def test_texts_have_their_size_and_never_come_twice(texts: Texts, kind: Kind, size: int) -> None:
    made = list(texts.texts(kind, size, 30))
    assert len(set(made)) == len(made)
    lengths = [len(text.encode()) for text in made]
    assert max(lengths) <= size * 1.1
    assert min(lengths) >= size * 0.5, "the shortest questions have no log below them"


@pytest.mark.parametrize("size", ["200 B", "2 KB", "20 KB"])
def test_a_signature_decides_what_is_made_for_it(texts: Texts, index: Index, size: str) -> None:
    lookup = Lookup(index, None)
    reports = texts.short if size == "200 B" else texts.long
    for text in texts.texts("signed", SIZES[size], len(reports) if size != "20 KB" else 30):
        answer = lookup.answer(text).model_dump_json().encode()
        assert is_signed(answer), text[-300:]


@pytest.mark.parametrize("size", ["200 B", "2 KB"])
def test_new_words_reach_the_model_each_time(texts: Texts, index: Index, encoder: Encoder, size: str) -> None:
    counting = CountingEncoder(encoder)
    lookup = Lookup(index, counting)
    for text in texts.texts("new", SIZES[size], 12):
        assert is_retrieved(lookup.answer(text).model_dump_json().encode()), text[-300:]
    assert len(set(counting.queries)) == 12


def test_thousands_of_new_texts_differ_in_more_than_what_is_normalised_away(texts: Texts, index: Index) -> None:
    asked = set()
    for text in texts.texts("new", SIZES["200 B"], 2100):
        report = report_of(text)
        messages = [(raised.line, f"{raised.type}: {raised.message}") for raised in report.exceptions]
        assert not index.matcher.search(units_of(report.lines, messages)), text
        asked.add(normalize(report.question))
    assert len(asked) == 2100


def test_a_repeated_error_differs_in_paths_numbers_addresses_and_ids_alone(texts: Texts) -> None:
    made = list(texts.texts("repeated", SIZES["2 KB"], 120))
    roots = [report_of(text).exceptions[0] for text in made]
    errors = {normalize(f"{root.type}: {root.message}").split(" (object")[0] for root in roots}
    assert len(errors) == 40
    assert len({root.message for root in roots}) == 120


def test_a_body_is_what_the_endpoint_reads() -> None:
    assert json.loads(lookup_body('断点 "x"\n')) == {"traceback": '断点 "x"\n'}
