import pytest
from markdown import markdown  # type: ignore[import-untyped]  # its types are a package of their own

from errdex.catalog import load_catalog
from errdex.entry import LANGS
from errdex.neutral import neutral_address, neutral_markdown


@pytest.mark.parametrize(
    ("text", "neutral"),
    [
        ("a <b>c</b>", "a &lt;b>c&lt;/b>"),
        ("`a <b>` <b>", "`a <b>` &lt;b>"),
        ("see <https://example.org/a>", "see <https://example.org/a>"),
        ("[a](https://example.org) [b](#fix) [c](../amp/other.md)", "[a](https://example.org) [b](#fix) [c](../amp/other.md)"),
        ("[a](javascript:b)", "[a]&#40;javascript:b)"),
        ("[a](&#106;avascript:b)", "[a]&#40;&#106;avascript:b)"),
        ("![a](https://example.org/a.png)", "&#33;[a](https://example.org/a.png)"),
        ("[a]: javascript:b", "&#91;a]: javascript:b"),
        ("a{ onclick=b }", "a&#123; onclick=b }"),
        ("## Fix { #fix }", "## Fix { #fix }"),
        ("## Fix { #fix onclick=b }", "## Fix &#123; #fix onclick=b }"),
        ("`a\n`<b>`", "`a\n`&lt;b>`"),
        ("```python\na < b {}\n```", "```python\na < b {}\n```"),
        ("```python\na < b", "&#96;&#96;&#96;python\na &lt; b"),
        ("    ```\n<b>\n    ```", "    &#96;&#96;&#96;\n&lt;b>\n    &#96;&#96;&#96;"),
    ],
)
def test_what_could_run_is_text(text: str, neutral: str) -> None:
    assert neutral_markdown(text) == neutral


def test_the_title_is_left_to_who_shows_it() -> None:
    assert neutral_markdown("# a <b>\n\n<b>\n") == "# a <b>\n\n&lt;b>\n"


def test_an_address_cannot_end_its_link() -> None:
    assert neutral_address("https://example.org/><b>(c)?d=1&e#f") == "https://example.org/%3E%3Cb%3E%28c%29?d=1&e#f"


def test_the_knowledge_reads_as_it_did() -> None:
    changed = [
        f"{entry.id} {lang}"
        for entry in load_catalog()
        for lang in LANGS
        if neutral_markdown(entry.pages[lang].source) != entry.pages[lang].source
        and markdown(neutral_markdown(entry.pages[lang].source)) != markdown(entry.pages[lang].source)
    ]
    assert changed == []
