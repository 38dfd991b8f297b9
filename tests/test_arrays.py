import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from errdex.arrays import array_bytes, array_of


@given(rows=st.integers(0, 50), columns=st.integers(1, 9))
def test_what_comes_back_is_what_was_given(rows: int, columns: int) -> None:
    array = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    data = array_bytes(array)
    assert (np.load(io.BytesIO(data), allow_pickle=False) == array).all()
    back = array_of(data, np.float32, (columns,))
    assert (back == array).all()
    assert back.shape == array.shape
    assert not back.flags.writeable


@given(st.binary(max_size=400), st.integers(0, 200))
def test_other_bytes_are_refused(noise: bytes, kept: int) -> None:
    whole = array_bytes(np.arange(20, dtype=np.int32))
    data = whole[:kept] + noise
    if data != whole and (len(data) != len(whole) or data[:128] != whole[:128]):
        with pytest.raises(ValueError, match=r"not a .npy file of int32"):
            array_of(data, np.int32)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.int64),
        np.arange(6, dtype=np.float32),
        np.arange(6, dtype=">i4"),
        np.arange(6, dtype=np.int32).reshape(2, 3),
        np.array(6, dtype=np.int32),
        np.zeros(6, dtype=[("a", "i4")]),
    ],
)
def test_another_type_or_shape_is_refused(array: NDArray[np.generic]) -> None:
    stream = io.BytesIO()
    np.save(stream, array)
    with pytest.raises(ValueError, match=r"not a .npy file of int32"):
        array_of(stream.getvalue(), np.int32)


def test_a_pickle_is_refused_unread() -> None:
    stream = io.BytesIO()
    np.save(stream, np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match=r"not a .npy file"):
        array_of(stream.getvalue(), np.float32)
