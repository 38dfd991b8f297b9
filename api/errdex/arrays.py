"""Arrays as the bytes of a `.npy` file, and back: of one expected type, or refused."""

import io
import math

import numpy as np
from numpy.typing import DTypeLike, NDArray

_HEADER_BYTES = 4096  # ours are 128


def array_bytes(array: NDArray[np.generic]) -> bytes:
    """The bytes of a `.npy` file with this array."""
    stream = io.BytesIO()
    np.save(stream, np.ascontiguousarray(array), allow_pickle=False)
    return stream.getvalue()


def array_of(data: bytes, dtype: DTypeLike, dimensions: int) -> NDArray[np.generic]:
    """The array in the bytes of a `.npy` file, not copied and read-only.

    Args:
        data: the whole file.
        dtype: the one type that is accepted; a number, so nothing in it can be executed.
        dimensions: how many axes it must have.

    Raises:
        ValueError: it is something else, or its length is not what its header says.
    """
    stream = io.BytesIO(data[:_HEADER_BYTES])
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("not a .npy file of version 1.0")
    shape, by_columns, found = np.lib.format.read_array_header_1_0(stream, max_header_size=_HEADER_BYTES)
    wanted = np.dtype(dtype)
    length = math.prod(shape) * wanted.itemsize  # Python's integers: no overflow
    if by_columns or found != wanted or len(shape) != dimensions or min(shape, default=0) < 0:
        raise ValueError(f"not an array of {wanted} with {dimensions} axes by rows")
    if length != len(data) - stream.tell():
        raise ValueError("its header and its length differ")
    return np.frombuffer(data, wanted, offset=stream.tell()).reshape(shape)
