import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bench.speed.rows import like
from errdex import vectors
from errdex.index import Index
from errdex.vectors import VectorIndex


def unit_rows(rows: int, dimension: int, seed: int = 0) -> NDArray[np.float32]:
    made = np.random.default_rng(seed).normal(size=(rows, dimension)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made


@settings(max_examples=50, deadline=None)
@given(rows=st.integers(1, 300), dimension=st.integers(1, 64), seed=st.integers(0, 1000))
def test_similarities_are_those_of_brute_force(rows: int, dimension: int, seed: int) -> None:
    passages = unit_rows(rows, dimension, seed)
    query = unit_rows(1, dimension, seed + 1)[0]
    index = VectorIndex.from_vectors(passages)
    np.testing.assert_allclose(index.similarities(query), passages @ query, atol=1e-5)
    assert (len(index), index.dimension) == (rows, dimension)


def test_a_vector_is_nearest_to_itself() -> None:
    passages = unit_rows(500, 384)
    index = VectorIndex.from_vectors(passages)
    assert [int(np.argmax(index.similarities(row))) for row in passages[::50]] == list(range(0, 500, 50))


def test_equal_passages_are_equally_near() -> None:
    row = unit_rows(1, 8)
    assert len(set(VectorIndex.from_vectors(np.repeat(row, 5, axis=0)).similarities(row[0]).tolist())) == 1


def test_the_rows_come_back() -> None:
    passages = unit_rows(7, 16)
    assert (VectorIndex.from_vectors(passages).rows() == passages).all()


def test_columns_in_another_order_in_memory_are_the_same_vectors() -> None:
    passages = unit_rows(7, 16)
    assert (VectorIndex.from_vectors(np.asfortranarray(passages)).rows() == passages).all()


def test_what_comes_back_is_what_was_given() -> None:
    index = VectorIndex.from_vectors(unit_rows(40, 32))
    back = VectorIndex.from_bytes(index.to_bytes(), 32)
    query = unit_rows(1, 32, seed=9)[0]
    assert (back.similarities(query) == index.similarities(query)).all()
    assert (back.rows() == index.rows()).all()


@pytest.mark.parametrize("length", [0, 3, 4, 10, 30, 50, 127, 128, 500])
def test_torn_bytes_are_refused(length: int) -> None:
    data = VectorIndex.from_vectors(unit_rows(40, 32)).to_bytes()
    with pytest.raises(ValueError, match="float32"):
        VectorIndex.from_bytes(data[: -length or None][:-1], 32)
    if length != 128:  # a header alone that says 40 rows is refused, too, but for what it says
        with pytest.raises(ValueError, match="float32"):
            VectorIndex.from_bytes(data[:length], 32)


@pytest.mark.parametrize("value", [0.0, 2.0, np.nan, np.inf, -np.inf])
def test_what_is_no_unit_vector_is_refused(value: float) -> None:
    rows = unit_rows(40, 32)
    rows[-1] = value
    with pytest.raises(ValueError, match="length 1"):
        VectorIndex.from_bytes(VectorIndex.from_vectors(rows).to_bytes(), 32)


def test_another_dimension_is_refused() -> None:
    with pytest.raises(ValueError, match="float32"):
        VectorIndex.from_bytes(VectorIndex.from_vectors(unit_rows(40, 32)).to_bytes(), 64)


@pytest.mark.parametrize("shape", [(31,), (33,), (1, 32), ()])
def test_a_query_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    index = VectorIndex.from_vectors(unit_rows(40, 32))
    for ask in (index.similarities, lambda query: index.nearest(query, 3)):
        with pytest.raises(ValueError, match="32 components"):
            ask(np.zeros(shape, np.float32))


@settings(max_examples=50, deadline=None)
@given(rows=st.integers(1, 300), count=st.integers(1, 400), seed=st.integers(0, 1000))
def test_the_nearest_are_those_of_brute_force(rows: int, count: int, seed: int) -> None:
    passages = np.repeat(unit_rows(rows, 16, seed), 2, axis=0)  # each one twice: ties go by position
    query = unit_rows(1, 16, seed + 1)[0]
    index = VectorIndex.from_vectors(passages)
    cosines = index.similarities(query)
    positions, found = index.nearest(query, count)
    expected = sorted(range(len(passages)), key=lambda position: (-cosines[position], position))[:count]
    assert positions.tolist() == expected
    assert (found == cosines[positions]).all()


def test_of_many_rows_nearly_all_of_the_nearest_are_found(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "FLAT_ROWS", 6_000)
    rows = like(index.vectors.rows(), 12_000, np.random.default_rng(1))
    queries = like(index.vectors.rows(), 30, np.random.default_rng(2))
    exact = VectorIndex.from_vectors(rows[:6_000]), VectorIndex.from_vectors(rows[6_000:])
    coded = VectorIndex.from_vectors(rows)
    found = 0
    for query in queries:
        cosines = np.concatenate([half.similarities(query) for half in exact])
        positions, near = coded.nearest(query, 10)
        np.testing.assert_allclose(near, cosines[positions], atol=1e-6)
        assert (np.diff(near) <= 0).all()
        found += len(set(positions.tolist()) & set(np.argsort(-cosines)[:10].tolist()))
    assert found >= 0.98 * 10 * len(queries)
