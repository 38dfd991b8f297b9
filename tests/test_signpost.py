from pathlib import Path
from xml.etree import ElementTree as ET

from errdex.catalog import PACKAGE, Catalog
from errdex.entry import LANGS, Entry
from errdex.page import parse_page
from errdex.signpost import write_signposts
from errdex.words import read_words
from tests.made import make_entry

SOURCES = PACKAGE.parents[1] / "site"
WORDS = read_words(SOURCES / "strings.toml")
HOSTILE = '"><script>alert(1)</script>$title'


def written(folder: Path, *entries: Entry) -> Path:
    (folder / "en").mkdir(parents=True)
    (folder / "en" / "llms.txt").write_text("# errdex\n", encoding="utf-8")
    write_signposts(Catalog(entries={e.id: e for e in entries}, digest=""), WORDS, SOURCES, folder, "http://errdex.test/")
    return folder


def test_retired_and_merged_entries_keep_their_address(tmp_path: Path) -> None:
    heir = make_entry("AMP002", "x" * 8)
    merged = make_entry("AMP001", "x" * 8).model_copy(update={"status": "merged-into:AMP002"})
    retired = make_entry("AMP003", "x" * 8).model_copy(update={"status": "retired"})
    site = written(tmp_path, heir, merged, retired)
    for entry in (heir, merged, retired):
        assert f'href="/zh-TW/{entry.path}/"' in (site / "e" / entry.id / "index.html").read_text(encoding="utf-8")


def test_a_permanent_address_names_the_page_in_each_language(tmp_path: Path) -> None:
    entry = make_entry("AMP001", "x" * 8)
    text = (written(tmp_path, entry) / "e" / "AMP001" / "index.html").read_text(encoding="utf-8")
    for lang in LANGS:
        assert f'hreflang="{lang}" href="http://errdex.test/{lang}/{entry.path}/"' in text
    assert f'<link rel="canonical" href="http://errdex.test/en/{entry.path}/">' in text


def test_no_title_gets_out_of_its_place(tmp_path: Path) -> None:
    page = parse_page(f"# {HOSTILE}\n\n{HOSTILE}\n")
    entry = make_entry("AMP001", "x" * 8).model_copy(update={"pages": dict.fromkeys(LANGS, page)})
    text = (written(tmp_path, entry) / "e" / "AMP001" / "index.html").read_text(encoding="utf-8")
    assert text.count("<script") == 1  # the site's own
    assert "$title" in text


def test_crawlers_are_told_of_every_language(tmp_path: Path) -> None:
    site = written(tmp_path)
    found = [node.text for node in ET.parse(site / "sitemap.xml").iter() if node.tag.endswith("}loc")]
    assert found == [f"http://errdex.test/{lang}/sitemap.xml" for lang in LANGS]
    assert "Sitemap: http://errdex.test/sitemap.xml" in (site / "robots.txt").read_text(encoding="utf-8")


def test_what_is_missing_is_said_in_each_language(tmp_path: Path) -> None:
    text = (written(tmp_path) / "404.html").read_text(encoding="utf-8")
    for lang in LANGS:
        assert WORDS.languages[lang]["missing_title"] in text
    assert "<script" not in text  # it must not lead away from the address that was mistyped
