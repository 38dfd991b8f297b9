import json
import re
from pathlib import Path

import pytest

from errdex.catalog import PACKAGE, Catalog, load_catalog
from errdex.entry import LANGS, Entry
from errdex.errors import SiteError
from errdex.page import fences, parse_page
from errdex.sheet import entry_page, proof, title_markdown, versions_text, wordings
from errdex.sitebuild import build_site
from errdex.staging import stage_site
from errdex.words import SiteWords, read_words

SOURCES = PACKAGE.parents[1] / "site"
PAGE = """# Title of {lang}

Do `this`.

## Meaning {{ #meaning }}

Words.

## Cause {{ #cause }}

## Fix {{ #fix }}

### Cast it

```python
x = x.float()
```

### What not to do

## Verify {{ #verify }}

## See also {{ #see-also }}

Others.
"""


def entry(**changes: object) -> Entry:
    fields: dict[str, object] = {
        "id": "MEM001",
        "status": "active",
        "kind": "error",
        "role": "cause",
        "products": ["torch", "accelerate"],
        "versions": {"torch": ">=1.6,<2.4"},
        "exceptions": ["RuntimeError"],
        "related": [],
        "sources": ["https://example.org/memory"],
        "aliases": {"en": ["OOM"], "zh-CN": ["显存不足"], "zh-TW": ["記憶體不足"]},
        "signature": [{"pattern": r"out of memory\. Tried (?P<n>\d+)"}],
        "repro": {"needs": []},
        "area": "mem",
        "slug": "out-of-memory",
        "pages": {lang: parse_page(PAGE.format(lang=lang)) for lang in LANGS},
        "scripts": {"broken.py": "x = 1\n", "fixed.py": "x = 2\n"},
        "samples": {
            "hit-a.txt": "[rank1]:     raise RuntimeError('out of memory. Tried 1')\n"
            "[rank1]: RuntimeError: out of memory. Tried 1\n",
            "hit-question-en.txt": "why out of memory. Tried 5",
        },
    }
    return Entry.model_validate(fields | changes)


def catalog(*entries: Entry) -> Catalog:
    return Catalog(entries={e.id: e for e in entries}, digest="test")


@pytest.fixture(scope="module")
def words() -> SiteWords:
    return read_words(SOURCES / "strings.toml")


def page(one: Entry, words: SiteWords, *others: Entry) -> str:
    return entry_page(one, "en", words.languages["en"], catalog(one, *others))


def test_the_three_languages_say_the_same_things(words: SiteWords) -> None:
    english = words.languages["en"]
    for lang in LANGS:
        spoken = words.languages[lang]
        assert spoken.ui.keys() == english.ui.keys()
        assert spoken.areas.keys() == english.areas.keys()
        for key, text in english.ui.items():
            assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", spoken[key])), (lang, key)


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


@pytest.mark.parametrize(
    ("changes", "state", "text"),
    [
        (
            {"checked": {"run": {"torch": "2.13.0", "python": "3.11", "device": "cpu", "date": "2026-11-30"}}},
            "ok",
            "torch 2.13.0 · CPU · 2026-11-30",
        ),
        ({"repro": {"needs": ["gpu", "old:torch==1.13"]}}, "wait", "not yet run here: needs a GPU, torch 1.13"),
        ({"repro": {"none": "A broken card."}}, "none", "no program can show it"),
        ({}, "wait", "not yet run here"),
    ],
)
def test_the_badge_says_how_far_the_entry_was_executed(
    changes: dict[str, object], state: str, text: str, words: SiteWords
) -> None:
    assert proof(entry(**changes), words.languages["en"]) == (state, text)


def test_a_page_shows_message_answer_fixes_scripts_and_sources(words: SiteWords) -> None:
    text = page(entry(), words)
    assert text.index("RuntimeError: out of memory") < text.index("Do `this`.") < text.index("## Meaning")
    assert "[Cast it](#fix-1)" in text
    assert "### Cast it { #fix-1 }" in text
    assert "    x = 1" in text
    assert "- <https://example.org/memory>" in text


def test_a_page_keeps_the_code_of_its_source(words: SiteWords) -> None:
    assert "x = x.float()" in fences(page(entry(), words))


def test_anchors_are_the_same_in_each_language(words: SiteWords) -> None:
    one = entry()
    pages = [entry_page(one, lang, words.languages[lang], catalog(one)) for lang in LANGS]
    anchors = [re.findall(r"^##+ .*\{ #(\S+) \}$", text, re.MULTILINE) for text in pages]
    assert anchors[0] == anchors[1] == anchors[2]
    assert len(anchors[0]) == len(re.findall(r"^##+ ", pages[0], re.MULTILINE))


def test_related_entries_are_links_and_unknown_ones_are_left_out(words: SiteWords) -> None:
    other = entry(id="AMP001", area="amp", slug="other")
    text = page(entry(related=["AMP001", "AMP999"]), words, other)
    assert "- [Title of en](../amp/other.md)" in text
    assert "AMP999" not in text


def test_an_entry_that_cannot_be_shown_gives_its_reason(words: SiteWords) -> None:
    assert "> A broken card." in page(entry(repro={"none": "A broken card."}, scripts={}), words)


def test_retired_and_merged_entries_say_so(words: SiteWords) -> None:
    heir = entry(id="MEM002", slug="heir")
    assert "!!! warning" in page(entry(status="retired"), words)
    assert "(../mem/heir.md)" in page(entry(status="merged-into:MEM002"), words, heir)


def test_a_title_is_literal_but_for_its_code_spans() -> None:
    assert title_markdown("`__init__` of Config.__init__() <x>") == r"`__init__` of Config.\_\_init\_\_() &lt;x&gt;"


def test_staging_writes_three_trees_and_forgets_removed_entries(tmp_path: Path) -> None:
    gone = entry(id="MEM002", slug="gone")
    stage_site(catalog(entry(), gone), SOURCES, tmp_path, "http://127.0.0.1:1")
    stage_site(catalog(entry()), SOURCES, tmp_path, "http://127.0.0.1:1/")
    for lang in LANGS:
        written = {p.relative_to(tmp_path / lang).as_posix() for p in (tmp_path / lang).rglob("*.md")}
        assert written == {"index.md", "about.md", "mem/index.md", "mem/out-of-memory.md"}
        config = json.loads((tmp_path / f"{lang}.yml").read_text(encoding="utf-8"))
        assert config["site_url"] == f"http://127.0.0.1:1/{lang}/"
        assert Path(config["INHERIT"]).is_file()


def test_areas_without_active_entries_have_no_page(tmp_path: Path) -> None:
    stage_site(catalog(entry(status="retired")), SOURCES, tmp_path, "http://127.0.0.1:1")
    assert not (tmp_path / "en" / "mem" / "index.md").exists()
    assert "/mem/out-of-memory.md" in json.loads((tmp_path / "en.yml").read_text(encoding="utf-8"))["not_in_nav"]


def test_the_numbers_of_the_about_page_are_counted(tmp_path: Path) -> None:
    waiting = entry(id="MEM002", slug="waiting", repro={"needs": ["gpu"]})
    stage_site(catalog(entry(), waiting), SOURCES, tmp_path, "http://127.0.0.1:1")
    about = (tmp_path / "en" / "about.md").read_text(encoding="utf-8")
    assert "| Active entries | 2 |" in about
    assert "not yet run here: needs a GPU (1)" in about


def test_each_common_slug_of_the_home_page_is_named_once(words: SiteWords) -> None:
    assert len(set(words.common)) == len(words.common)


def test_the_common_entries_exist(words: SiteWords) -> None:
    slugs = {e.slug for e in load_catalog().active}
    assert [slug for slug in words.common if slug not in slugs] == []


def test_every_message_of_the_knowledge_has_a_readable_form() -> None:
    unseen = [e.id for e in load_catalog().active if e.kind == "error" and not any(w.seen for w in wordings(e))]
    assert unseen == []


def test_a_package_without_site_sources_says_where_the_site_is_built(tmp_path: Path) -> None:
    with pytest.raises(SiteError, match="checkout"):
        build_site(catalog(), tmp_path / "site", "http://127.0.0.1:1", root=tmp_path)


def test_a_refused_build_leaves_the_site_that_was_there(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("old", encoding="utf-8")
    broken = parse_page(PAGE.format(lang="en") + "\n[nowhere](../mem/nothing.md)\n")
    one = entry(pages=dict.fromkeys(LANGS, broken))
    with pytest.raises(SiteError, match=r"nothing\.md"):
        build_site(catalog(one), tmp_path / "site", "http://127.0.0.1:1")
    assert (tmp_path / "site" / "index.html").read_text(encoding="utf-8") == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["site", "site-src"]
