"""The dense stage: inner product over unit vectors. The only user of faiss."""

from pathlib import Path

import faiss
import numpy as np
from numpy.typing import NDArray

from errdex.errors import IndexNotReadyError

_MAX_BYTES = 1 << 30  # a vector file that claims more is damaged


class VectorIndex:
    """Passages as unit vectors, compared exactly. Similarity is a cosine: higher is nearer."""

    def __init__(self, index: "faiss.IndexFlat") -> None:
        self._index = index

    @classmethod
    def from_vectors(cls, vectors: NDArray[np.float32]) -> "VectorIndex":
        """Index rows of shape (passages, dimension), each of length 1."""
        index = faiss.IndexFlatIP(vectors.shape[1])
        index.add(np.ascontiguousarray(vectors, dtype=np.float32))
        return cls(index)

    def __len__(self) -> int:
        return int(self._index.ntotal)

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return int(self._index.d)

    def rows(self) -> NDArray[np.float32]:
        """All vectors, shape (passages, dimension)."""
        rows: NDArray[np.float32] = self._index.reconstruct_n(0, len(self))
        return rows

    def similarities(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        """Cosine of one query vector of shape (dimension,) with every passage, shape (passages,)."""
        # One thread: two on a busy machine make a scan of microseconds wait for the scheduler.
        faiss.omp_set_num_threads(1)
        scores, numbers = self._index.search(query.reshape(1, -1), len(self))
        ordered = np.empty(len(self), dtype=np.float32)
        ordered[numbers[0]] = scores[0]
        return ordered

    def save(self, path: Path) -> None:
        """Write the vectors."""
        faiss.write_index(self._index, str(path))

    @classmethod
    def load(cls, path: Path) -> "VectorIndex":
        """Read what `save` wrote; the caller has checked the file's hash.

        Raises:
            IndexNotReadyError: it is no flat index.
        """
        try:
            if path.stat().st_size > _MAX_BYTES:
                raise IndexNotReadyError(f"{path.name} is larger than an index can be; run `errdex index`.")
            index = faiss.read_index(str(path))
        except (OSError, RuntimeError) as error:
            raise IndexNotReadyError(f"{path.name} cannot be read; run `errdex index`.") from error
        if not isinstance(index, faiss.IndexFlatIP):
            raise IndexNotReadyError(f"{path.name} is not a flat index; run `errdex index`.")
        return cls(index)
