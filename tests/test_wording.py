from errdex.catalog import load_catalog
from errdex.wording import versions_text, wordings
from tests.sheets import entry


def test_a_wording_is_the_clean_line_of_a_sample() -> None:
    assert [w.text for w in wordings(entry())] == ["RuntimeError: out of memory. Tried 1"]


def test_lines_that_differ_only_in_numbers_are_one_wording() -> None:
    samples = {"hit-a.txt": "RuntimeError: out of memory. Tried 1\nRuntimeError: out of memory. Tried 22\n"}
    assert len(wordings(entry(samples=samples))) == 1


def test_a_wording_that_no_sample_shows_is_its_pattern_and_stands_last() -> None:
    old = {"pattern": "memory is gone today", "versions": {"torch": "<1.0"}}
    found = wordings(entry(signature=[old, {"pattern": r"out of memory\. Tried"}]))
    assert [(w.text, w.seen) for w in found] == [
        ("RuntimeError: out of memory. Tried 1", True),
        ("memory is gone today", False),
    ]
    assert found[1].versions == {"torch": "<1.0"}


def test_version_ranges_are_written_for_people() -> None:
    assert versions_text({"torch": ">=1.6,<2.4", "peft": "==0.3"}) == "torch ≥ 1.6, < 2.4 · peft 0.3"


def test_every_message_of_the_knowledge_has_a_readable_form() -> None:
    unseen = [e.id for e in load_catalog().active if e.kind == "error" and not any(w.seen for w in wordings(e))]
    assert unseen == []
