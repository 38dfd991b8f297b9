import pytest
from hypothesis import given
from hypothesis import strategies as st

from errdex.entry import LANGS
from errdex.page import SECTION_IDS, fences, headings, parse_page
from tests.trees import ENGLISH, MAINLAND, TAIWAN

MARKDOWN = st.lists(
    st.sampled_from(
        ["# a", "## Fix { #fix }", "### b", "#### c", "```", "````", "```python", "~~~", "words", "", "  ```", "#no", "## x {#y}"]
    ),
    max_size=30,
).map("\n".join)


def test_a_page_falls_into_its_parts() -> None:
    page = parse_page(ENGLISH)
    assert page.title == "ValueError: the lever is stuck at 3"
    assert page.summary == "Oil the lever; see [the manual](https://example.org/manual)."
    assert page.section("meaning") == "The lever does not move."
    assert [(fix.title, fix.code) for fix in page.fixes] == [("Oil it", ["lever.oil()  # once"]), ("Replace it", [])]
    assert page.fixes[1].markdown == "It costs a lever."
    assert page.fences == ["lever.oil()  # once"]
    assert page.source == ENGLISH


@pytest.mark.parametrize("source", [ENGLISH, MAINLAND, TAIWAN], ids=LANGS)
def test_anchors_are_the_same_in_each_language(source: str) -> None:
    assert tuple(section.anchor for section in parse_page(source).sections) == SECTION_IDS


def test_a_section_that_is_not_there_is_empty() -> None:
    assert parse_page(ENGLISH).section("nowhere") == ""


@pytest.mark.parametrize(
    ("source", "title", "summary"),
    [
        ("", "", ""),
        ("only words", "", ""),
        ("## A section first\n\n# Then the title\n", "", ""),
        ("# Title", "Title", ""),
        ("# Title\n\none\ntwo\n", "Title", "one\ntwo"),
        ("# Title {#anchor}\n\none\n\n## Next\ntwo", "Title", "one"),
        ("# 标题\r\n\r\n摘要\r\n", "标题", "摘要"),
    ],
)
def test_what_is_missing_is_left_empty(source: str, title: str, summary: str) -> None:
    page = parse_page(source)
    assert (page.title, page.summary) == (title, summary)


@pytest.mark.parametrize(
    "code",
    [
        "```python\n# no heading\n## nor this\n```",
        "~~~\n# no heading\n~~~",
        "````markdown\n```\n# no heading\n```\n````",
        "  ```\n# no heading\n  ```",
        "```\n# never closed",
    ],
)
def test_a_comment_in_code_is_no_heading(code: str) -> None:
    assert [heading.text for heading in headings(f"# Title\n\n{code}")] == ["Title"]


@pytest.mark.parametrize(
    ("line", "level", "anchor"),
    [("# a b", 1, None), ("## a b { #fix }", 2, "fix"), ("## a b {#see-also}", 2, "see-also"), ("### a b", 3, None)],
)
def test_a_heading_has_a_level_and_perhaps_an_anchor(line: str, level: int, anchor: str | None) -> None:
    (heading,) = headings(f"\n{line}")
    assert (heading.level, heading.text, heading.anchor, heading.line) == (level, "a b", anchor, 2)


@pytest.mark.parametrize("line", ["#a", "#### a", " # a", "text # a", "#"])
def test_other_lines_are_no_headings(line: str) -> None:
    assert headings(line) == []


@pytest.mark.parametrize(
    ("markdown", "found"),
    [
        ("```\na\n\nb\n```\n```sh\nc\n```", ["a\n\nb", "c"]),
        ("````\n```\na\n```\n````", ["```\na\n```"]),
        ("~~~\n```\n~~~", ["```"]),
        ("```\n```", [""]),
        ("```\nnever closed", []),
        ("no `code` here", []),
    ],
)
def test_code_comes_without_its_fences(markdown: str, found: list[str]) -> None:
    assert fences(markdown) == found


def test_only_third_level_headings_below_fix_are_fixes() -> None:
    page = parse_page(
        "# t\n\n## Cause { #cause }\n\n### not a fix\n\n## Fix { #fix }\n\n### one\n\n## Verify { #verify }\n\n### nor this\n"
    )
    assert [fix.title for fix in page.fixes] == ["one"]


@given(st.one_of(st.text(), MARKDOWN))
def test_any_text_is_a_page(source: str) -> None:
    page = parse_page(source)
    lines = source.splitlines()
    assert all(lines[heading.line - 1].startswith("#" * heading.level + " ") for heading in page.headings)
    assert [section.title for section in page.sections] == [heading.text for heading in page.headings if heading.level == 2]
    assert all(code in page.fences for fix in page.fixes for code in fix.code)
