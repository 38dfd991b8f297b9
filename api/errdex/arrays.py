"""Arrays as the bytes of a `.npy` file, and back: of one expected type, or refused."""

import io
import math
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.number[Any])

_FIXED = 10  # magic, version and the header's length


def array_bytes(array: NDArray[Any]) -> bytes:
    """The bytes of a `.npy` file with this array."""
    stream = io.BytesIO()
    np.save(stream, np.ascontiguousarray(array), allow_pickle=False)
    return stream.getvalue()


def array_of(data: bytes, dtype: type[Number], row: tuple[int, ...] = ()) -> NDArray[Number]:
    """The array in the bytes of a `.npy` file, not copied and read-only.

    Its header is compared, not parsed: numpy's parser fails in ways of its own on one that is torn.

    Args:
        data: the whole file.
        dtype: the one type that is accepted; a number, so nothing in it can be executed.
        row: shape of one element of the first axis.

    Raises:
        ValueError: it is something else, or its length is not what its header says.
    """
    wanted = np.dtype(dtype)
    start = _FIXED + int.from_bytes(data[_FIXED - 2 : _FIXED], "little")
    elements, rest = divmod(len(data) - start, wanted.itemsize * math.prod(row))
    if rest or elements < 0 or data[:start] != _header((elements, *row), wanted):
        raise ValueError(f"not a .npy file of {wanted} with rows of shape {row}")
    return np.frombuffer(data, wanted, offset=start).reshape(elements, *row)


def _header(shape: tuple[int, ...], dtype: "np.dtype[Any]") -> bytes:
    """What `array_bytes` writes before the numbers."""
    stream = io.BytesIO()
    described = np.lib.format.dtype_to_descr(dtype)
    np.lib.format.write_array_header_1_0(stream, {"descr": described, "fortran_order": False, "shape": shape})
    return stream.getvalue()
