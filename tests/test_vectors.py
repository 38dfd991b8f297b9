from pathlib import Path

import faiss
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from errdex import vectors
from errdex.errors import IndexNotReadyError
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


def test_what_is_loaded_is_what_was_saved(tmp_path: Path) -> None:
    index = VectorIndex.from_vectors(unit_rows(40, 32))
    index.save(tmp_path / "v.faiss")
    loaded = VectorIndex.load(tmp_path / "v.faiss")
    query = unit_rows(1, 32, seed=9)[0]
    assert (loaded.similarities(query) == index.similarities(query)).all()
    assert (loaded.rows() == index.rows()).all()


@pytest.mark.parametrize("length", [0, 3, 4, 10, 30, 50, 500])
def test_a_torn_file_is_reported(tmp_path: Path, length: int) -> None:
    path = tmp_path / "v.faiss"
    VectorIndex.from_vectors(unit_rows(40, 32)).save(path)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(IndexNotReadyError, match=r"v\.faiss"):
        VectorIndex.load(path)


@pytest.mark.parametrize("content", [b"IxFI" + b"\xff" * 60, b"\x00" * 100, b"not an index at all", b"IxF2"])
def test_rubbish_is_reported(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "v.faiss").write_bytes(content)
    with pytest.raises(IndexNotReadyError, match="errdex index"):
        VectorIndex.load(tmp_path / "v.faiss")


@pytest.mark.parametrize("kind", ["HNSW8", "SQ8", "IVF4,Flat", "IDMap,Flat"])
def test_an_index_that_is_not_flat_is_refused(tmp_path: Path, kind: str) -> None:
    other = faiss.index_factory(32, kind, faiss.METRIC_INNER_PRODUCT)
    other.train(unit_rows(200, 32))
    faiss.write_index(other, str(tmp_path / "v.faiss"))
    with pytest.raises(IndexNotReadyError, match="flat"):
        VectorIndex.load(tmp_path / "v.faiss")


def test_flat_but_by_distance_is_refused(tmp_path: Path) -> None:
    other = faiss.IndexFlatL2(32)
    other.add(unit_rows(5, 32))
    faiss.write_index(other, str(tmp_path / "v.faiss"))
    with pytest.raises(IndexNotReadyError, match="flat"):
        VectorIndex.load(tmp_path / "v.faiss")


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    VectorIndex.from_vectors(unit_rows(40, 32)).save(tmp_path / "v.faiss")
    monkeypatch.setattr(vectors, "_MAX_BYTES", 100)
    with pytest.raises(IndexNotReadyError, match="larger"):
        VectorIndex.load(tmp_path / "v.faiss")


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(IndexNotReadyError, match=r"v\.faiss"):
        VectorIndex.load(tmp_path / "v.faiss")
