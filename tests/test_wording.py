from errdex.catalog import load_catalog
from errdex.sheet import entry_page
from errdex.wording import printed, versions_text, wordings
from tests.sheets import catalog, english, entry


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


def test_few_short_wordings_stand_open_and_many_or_long_ones_are_folded() -> None:
    def page(*lines: str) -> str:
        patterns = [{"pattern": f"wording {number} of it"} for number in range(len(lines))]
        output = "".join(f"RuntimeError: wording {number} of it {line}\n" for number, line in enumerate(lines))
        letters = entry(signature=patterns, samples={"hit-a.txt": output})
        return entry_page(letters, "en", english(), catalog(letters))

    names = ("alpha", "beta", "gamma", "delta")
    assert "Other wordings" not in page(*names[:3])
    assert "Other wordings (3)" in page(*names)
    assert "Other wordings (1)" in page("alpha", "long words " * 60)


def test_each_wording_names_the_versions_it_belongs_to_else_those_of_the_entry() -> None:
    old = {"pattern": "memory is gone today", "versions": {"torch": "<1.0"}}
    one = entry(signature=[old, {"pattern": r"out of memory\. Tried"}])
    text = entry_page(one, "en", english(), catalog(one))
    assert text.index("out of memory. Tried 1") < text.index("\ntorch ≥ 1.6, &lt; 2.4\n")
    assert "\ntorch &lt; 1.0 · Pattern it is recognised by\n" in text
    anywhere = entry(versions={})
    assert "\nany version\n" in entry_page(anywhere, "en", english(), catalog(anywhere))


def test_every_printed_number_counts_and_only_different_words_are_wordings() -> None:
    one = entry(signature=[{"pattern": "exit code"}], samples={"hit-a.txt": "exit code 137\nexit code 2\n"})
    assert sorted(printed(one)) == ["exit code 137", "exit code 2"]
    assert len(wordings(one)) == 1
