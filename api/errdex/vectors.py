"""The dense stage: inner product over unit vectors. The only user of faiss.

faiss gives arithmetic here, not files: the rows are a plain array, so that no parser of its formats is exposed to a file.
"""

import os

import faiss
import numpy as np
from numpy.typing import NDArray

from errdex.arrays import array_bytes, array_of

FLAT_ROWS = 50_000  # up to here comparing every row takes less than two milliseconds
_RESCORED = 800  # rows that the first pass hands to the exact comparison
_LISTS, _LISTS_READ = 128, 48  # more lists read find hardly more, fewer miss one in fifty
_TRAINED_ON = 8192
_LENGTH_TOLERANCE = 1e-3
_CHECKED_AT_ONCE = 1 << 14


class VectorIndex:
    """Passages as unit vectors. Similarity is a cosine: higher is nearer.

    Few rows are compared one by one. Of many, one bit a component (RaBitQ) finds the likeliest in those lists that lie
    nearest, and these are compared exactly: what is returned is always an exact cosine.
    """

    def __init__(self, rows: NDArray[np.float32]) -> None:
        self._rows = rows
        self._codes = _coded(rows) if len(rows) > FLAT_ROWS else None

    @classmethod
    def from_vectors(cls, vectors: NDArray[np.float32]) -> "VectorIndex":
        """Index rows of shape (passages, dimension), each of length 1."""
        return cls(np.ascontiguousarray(vectors, dtype=np.float32))

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return int(self._rows.shape[1])

    def rows(self) -> NDArray[np.float32]:
        """All vectors, shape (passages, dimension); not to be written to."""
        return self._rows

    def similarities(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Cosine of one query vector of shape (dimension,) with every passage, shape (passages,)."""
        cosines = np.empty(len(self), dtype=np.float32)
        wanted = self._wanted(query)
        # numpy's product starts threads, which makes a scan of microseconds wait for the scheduler.
        faiss.fvec_inner_products_ny(  # type: ignore[attr-defined]  # the stubs leave it out
            faiss.swig_ptr(cosines), faiss.swig_ptr(wanted), faiss.swig_ptr(self._rows), self.dimension, len(self)
        )
        return cosines

    def nearest(self, query: NDArray[np.float32], count: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The passages nearest to one query vector, nearest first; equally near ones by position.

        Args:
            query: shape (dimension,).
            count: how many at most, 1 or more.

        Returns:
            Positions and exact cosines, each of shape (min(count, passages),).
        """
        return _best(*self.near(query, 4 * count), count)

    def near(self, query: NDArray[np.float32], least: int = 0) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The passages that may be nearest to one query vector, in no order: all of few, the likeliest of many.

        Args:
            query: shape (dimension,).
            least: of many, how many at least.

        Returns:
            Positions and exact cosines, of one shape.
        """
        if self._codes is None:
            return np.arange(len(self)), self.similarities(query)
        wanted = self._wanted(query)
        faiss.omp_set_num_threads(1)  # counts for this thread alone; the others serve other requests
        found = self._codes.search(wanted.reshape(1, -1), min(max(_RESCORED, least), len(self)))[1][0]
        positions = np.ascontiguousarray(found[found >= 0], dtype=np.int64)
        cosines = np.empty(len(positions), dtype=np.float32)
        faiss.fvec_inner_products_by_idx(  # type: ignore[attr-defined]  # the stubs leave it out
            faiss.swig_ptr(cosines),
            faiss.swig_ptr(wanted),
            faiss.swig_ptr(self._rows),
            faiss.swig_ptr(positions),
            self.dimension,
            1,
            len(positions),
        )
        return positions, cosines

    def _wanted(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        if query.shape != (self.dimension,):  # faiss reads by address and would read on
            raise ValueError(f"a query has {self.dimension} components, not the shape {query.shape}")
        return np.ascontiguousarray(query, dtype=np.float32)

    def to_bytes(self) -> bytes:
        """The vectors as a `.npy` file."""
        return array_bytes(self._rows)

    @classmethod
    def from_bytes(cls, data: bytes, dimension: int) -> "VectorIndex":
        """Take what `to_bytes` gave.

        Raises:
            ValueError: these are not vectors of this dimension and of length 1.
        """
        rows = array_of(data, np.float32, (dimension,))
        for start in range(0, len(rows), _CHECKED_AT_ONCE):
            part = rows[start : start + _CHECKED_AT_ONCE]
            lengths = np.einsum("ij,ij->i", part, part)
            if not (np.abs(lengths - 1) < _LENGTH_TOLERANCE).all():  # false for what is no number, too
                raise ValueError("a vector is not of length 1")
        return cls(rows)


def _coded(rows: NDArray[np.float32]) -> "faiss.IndexIVF":
    """One bit a component, relative to the middle of the list that a row falls into."""
    faiss.omp_set_num_threads(os.cpu_count() or 1)
    codes: faiss.IndexIVF = faiss.index_factory(rows.shape[1], f"IVF{_LISTS},RaBitQfs", faiss.METRIC_INNER_PRODUCT)  # type: ignore[assignment]  # what this name makes
    codes.cp.niter, codes.cp.max_points_per_centroid = 6, _TRAINED_ON // _LISTS
    codes.train(rows[:: max(1, len(rows) // _TRAINED_ON)])
    codes.add(rows)
    codes.nprobe = _LISTS_READ
    return codes


def _best(
    positions: NDArray[np.int64], cosines: NDArray[np.float32], count: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    if count < len(cosines):
        least = np.partition(cosines, len(cosines) - count)[len(cosines) - count]
        kept = cosines >= least  # all that are as near as the last, so that the tie is broken by position
        positions, cosines = positions[kept], cosines[kept]
    order = np.lexsort((positions, -cosines))[:count]
    return positions[order], cosines[order]
