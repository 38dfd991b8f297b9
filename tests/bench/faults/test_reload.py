from pathlib import Path

import pytest

from bench.faults.reload import memory, under_load
from bench.faults.samples import edition
from errdex.encoder import Encoder
from errdex.index import Index

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads the memory of a process as Linux shows it")


@pytest.fixture(scope="module")
def editions(encoder: Encoder) -> tuple[Index, Index]:
    return edition(0, encoder), edition(1, encoder)


def test_swapped_under_load_nothing_fails_and_nothing_is_mixed(tmp_path: Path, editions: tuple[Index, Index]) -> None:
    figures = under_load(tmp_path, editions, swaps=10)
    assert figures["answers"].keys() == {"right"}
    assert figures["taken_up"] == figures["taken_up_once"] == 10
    assert figures["damaged"] == figures["damaged_refused"] == figures["damaged_kept_the_old"] == 2


def test_what_is_replaced_leaves_the_memory_without_the_collector(tmp_path: Path, editions: tuple[Index, Index]) -> None:
    figures = memory(tmp_path, editions, swaps=30, warm=10)
    assert figures["memory_kib_after"] - figures["memory_kib_before"] < 8 << 10
