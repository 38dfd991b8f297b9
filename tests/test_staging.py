import json
import re
from pathlib import Path

import pytest

from errdex.catalog import load_catalog
from errdex.entry import LANGS, Entry
from errdex.errors import SiteError
from errdex.lookupbox import Hosting
from errdex.markup import title_markdown
from errdex.page import fences, parse_page
from errdex.sheet import entry_page
from errdex.sitebuild import build_site
from errdex.staging import stage_site
from errdex.stamp import text_hash
from errdex.words import SiteWords, read_words
from tests.sheets import PAGE, SOURCES, catalog, entry


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


def test_a_page_shows_message_answer_fixes_scripts_and_sources(words: SiteWords) -> None:
    text = page(entry(), words)
    order = ["RuntimeError: out of memory", "Do `this`.", "ex-facts", "## Meaning", "## Cause", "## Fix", "## Verify"]
    order += ["## Proof", "## See also", "## Sources", "## Was this right?"]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert "[Cast it](#fix-1)" in text
    assert "### Cast it { #fix-1 }" in text
    assert "    x = 1" in text
    assert "- <https://example.org/memory>" in text


def test_a_page_keeps_the_code_of_its_source(words: SiteWords) -> None:
    assert "x = x.float()" in fences(page(entry(), words))


def test_anchors_are_the_same_in_each_language(words: SiteWords) -> None:
    one = entry()
    pages = [entry_page(one, lang, words.languages[lang], catalog(one)) for lang in LANGS]
    anchors = [re.findall(r"^##+ .*\{ #(\S+)", text, re.MULTILINE) for text in pages]
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
    assert title_markdown("`__init__` of Config.__init__() <x>") == r"`__init__` of Config.\_\_init\_\_() &lt;x\>"


def test_staging_writes_three_trees_and_forgets_removed_entries(tmp_path: Path) -> None:
    gone = entry(id="MEM002", slug="gone")
    stage_site(catalog(entry(), gone), SOURCES, tmp_path, Hosting("http://127.0.0.1:1"))
    stage_site(catalog(entry()), SOURCES, tmp_path, Hosting("http://127.0.0.1:1"))
    for lang in LANGS:
        written = {p.relative_to(tmp_path / lang).as_posix() for p in (tmp_path / lang).rglob("*.md")}
        by_hand = {path.name for path in (SOURCES / "pages" / lang).glob("*.md")}
        indexes = {"all.md", "guides.md", "area.md", "library.md", "exception.md", "code.md"}
        lists = {"mem/index.md", "library/torch.md", "library/accelerate.md", "exception/RuntimeError.md"}
        assert written == by_hand | indexes | lists | {"mem/out-of-memory.md"}
        assert (tmp_path / lang / "mem" / "out-of-memory" / "broken.py").read_text(encoding="utf-8") == "x = 1\n"
        config = json.loads((tmp_path / f"{lang}.yml").read_text(encoding="utf-8"))
        assert config["site_url"] == f"http://127.0.0.1:1/{lang}/"
        assert Path(config["INHERIT"]).is_file()


def test_areas_without_active_entries_have_no_page(tmp_path: Path) -> None:
    stage_site(catalog(entry(status="retired")), SOURCES, tmp_path, Hosting("http://127.0.0.1:1"))
    assert not (tmp_path / "en" / "mem" / "index.md").exists()
    assert "/mem/out-of-memory.md" in json.loads((tmp_path / "en.yml").read_text(encoding="utf-8"))["not_in_nav"]


def test_the_numbers_of_the_about_page_are_counted(tmp_path: Path) -> None:
    waiting = entry(id="MEM002", slug="waiting", repro={"needs": ["gpu"]})
    stage_site(catalog(entry(), waiting), SOURCES, tmp_path, Hosting("http://127.0.0.1:1"))
    about = (tmp_path / "en" / "about.md").read_text(encoding="utf-8")
    assert "| Active entries | 2 |" in about
    assert "not yet run here: needs a GPU (1)" in about


def test_each_common_slug_of_the_home_page_is_named_once(words: SiteWords) -> None:
    assert len(set(words.common)) == len(words.common)


def test_the_common_entries_exist(words: SiteWords) -> None:
    slugs = {e.slug for e in load_catalog().active}
    assert [slug for slug in words.common if slug not in slugs] == []


def test_a_package_without_site_sources_says_where_the_site_is_built(tmp_path: Path) -> None:
    with pytest.raises(SiteError, match="checkout"):
        build_site(catalog(), tmp_path / "site", Hosting("http://127.0.0.1:1"), root=tmp_path)


def test_a_refused_build_leaves_the_site_that_was_there(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("old", encoding="utf-8")
    broken = parse_page(PAGE.format(lang="en") + "\n[nowhere](../mem/nothing.md)\n")
    one = entry(pages=dict.fromkeys(LANGS, broken))
    with pytest.raises(SiteError, match=r"nothing\.md"):
        build_site(catalog(one), tmp_path / "site", Hosting("http://127.0.0.1:1"))
    assert (tmp_path / "site" / "index.html").read_text(encoding="utf-8") == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["site", "site-src"]


def test_readers_report_to_the_form_that_the_operator_has_set_up(tmp_path: Path) -> None:
    form = "https://example.org/new?title={title}&body={body}"
    stage_site(catalog(entry()), SOURCES, tmp_path, Hosting("http://127.0.0.1:1", contribute_url=form))
    for lang in LANGS:
        page = (tmp_path / lang / "mem" / "out-of-memory.md").read_text(encoding="utf-8")
        assert 'href="https://example.org/new?title=MEM001' in page
        assert "contribute.md" not in page


def test_a_translation_that_is_behind_says_so_on_its_own_page_and_in_the_facts(words: SiteWords) -> None:
    current = text_hash(PAGE.format(lang="en").encode())
    one = entry(checked={"zh-CN": current, "zh-TW": "en@00000000"})
    pages = {lang: entry_page(one, lang, words.languages[lang], catalog(one)) for lang in LANGS}
    assert "behind the English page: 繁體中文" in pages["en"]
    assert "!!! warning" in pages["zh-TW"]
    assert "!!! warning" not in pages["zh-CN"] + pages["en"]
    fresh = entry(checked={"zh-CN": current, "zh-TW": current})
    assert "up to date" in page(fresh, words)


def test_a_summary_cannot_leave_the_attribute_that_describes_the_page(words: SiteWords) -> None:
    hostile = parse_page(PAGE.format(lang="en").replace("Do `this`.", 'Install "diffusers>=0.29.0" & wait.'))
    text = page(entry(pages=dict.fromkeys(LANGS, hostile)), words)
    described = next(line for line in text.splitlines() if line.startswith("description: "))
    assert json.loads(described.removeprefix("description: ")) == 'Install "diffusers>=0.29.0" & wait.'
