from errdex.neighbours import first_line, neighbours_section
from errdex.page import parse_page
from tests.sheets import PAGE, catalog, english, entry

PROSE = ["## See also { #see-also }", "", "Others."]
OTHER = entry(
    id="AMP001",
    area="amp",
    slug="other",
    signature=[{"pattern": "expected scalar type"}],
    samples={"hit-a.txt": "RuntimeError: expected scalar type _Half_ but <found> Float\n"},
)


def text(*others: object, **changes: object) -> str:
    one = entry(**changes)
    return "\n\n".join(neighbours_section(one, "en", english(), catalog(one, *others), PROSE))  # type: ignore[arg-type]


def test_a_neighbour_is_told_apart_by_its_message_and_its_summary() -> None:
    found = text(OTHER, related=["AMP001"])
    assert found.startswith("## See also { #see-also }\n\nOthers.")
    assert "[Title of en](../amp/other.md)" in found
    assert "expected scalar type &#95;Half&#95; but &#60;found&#62; Float</code>" in found
    assert "    Do `this`." in found


def test_a_guide_beside_an_error_is_marked() -> None:
    guide = entry(id="AMP001", area="amp", slug="guide", kind="guide", signature=[], exceptions=[], samples={})
    assert '(../amp/guide.md) <span class="ex-kind">Guide</span>' in text(guide, related=["AMP001"])


def test_entries_that_became_part_of_this_one_are_named() -> None:
    merged = entry(id="MEM009", slug="merged", status="merged-into:MEM001")
    assert "Became part of this page:\n\n- [Title of en](../mem/merged.md)" in text(merged)
    assert "Became part" not in text(OTHER)


def test_a_page_without_prose_and_without_neighbours_has_no_section() -> None:
    alone = entry(pages={lang: parse_page(PAGE.format(lang=lang)) for lang in ("en", "zh-CN", "zh-TW")})
    assert neighbours_section(alone, "en", english(), catalog(alone), []) == []


def test_a_long_message_is_cut_to_a_line() -> None:
    assert len(first_line(entry(samples={"hit-a.txt": f"RuntimeError: out of memory. Tried 1 {'x' * 300}\n"}))) < 170
    assert first_line(entry(samples={})) == "RuntimeError"
