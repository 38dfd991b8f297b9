from bench.faults.damage import damage
from bench.faults.mutations import REFUSED


def test_whatever_is_damaged_is_refused_and_nothing_crashes() -> None:
    figures = damage(2000)
    assert figures["wrong"] == 0, figures["outcomes"]
    assert figures["mutations"] == 2000
    assert all(figures["outcomes"][way.__name__]["refused"] > 100 for way in REFUSED)
    assert figures["outcomes"]["point_back"].keys() == {"served"}
    assert figures["outcomes"]["forge"]["loaded"] > 0  # else the parsers were not reached
    assert figures["memory_grown_kib"] < 64 << 10
