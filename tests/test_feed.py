from datetime import date
from xml.etree import ElementTree as ET

from errdex.catalog import PACKAGE, Catalog
from errdex.entry import LANGS
from errdex.feed import feed_text
from errdex.links import Links
from errdex.page import parse_page
from errdex.words import read_words
from tests.made import make_entry

ATOM = "{http://www.w3.org/2005/Atom}"
WORDS = read_words(PACKAGE.parents[1] / "site" / "strings.toml").languages["en"]
HOSTILE = '<script>alert(1)</script> & "x"'


def entries_of(catalog: Catalog) -> list[ET.Element]:
    root = ET.fromstring(feed_text(catalog, "en", WORDS, Links("http://errdex.test/")))
    assert root.tag == f"{ATOM}feed"
    return root.findall(f"{ATOM}entry")


def catalog_of(*days: date | None) -> Catalog:
    made = [make_entry(f"AMP{n:03}", "x" * 8).model_copy(update={"added": day}) for n, day in enumerate(days, start=1)]
    return Catalog(entries={entry.id: entry for entry in made}, digest="")


def test_the_newest_comes_first_and_one_without_a_date_is_left_out() -> None:
    found = entries_of(catalog_of(date(2026, 1, 1), None, date(2026, 3, 1)))
    assert [entry.findtext(f"{ATOM}id") for entry in found] == ["http://errdex.test/e/AMP003/", "http://errdex.test/e/AMP001/"]
    assert found[0].findtext(f"{ATOM}published") == "2026-03-01T00:00:00+00:00"


def test_an_entry_has_what_atom_asks_for() -> None:
    (one,) = entries_of(catalog_of(date(2026, 1, 1)))
    assert {child.tag.removeprefix(ATOM) for child in one} >= {"id", "title", "updated", "link", "summary"}


def test_it_stays_short() -> None:
    assert len(entries_of(catalog_of(*[date(2026, 1, 1)] * 40))) == 30


def test_what_an_entry_says_is_no_markup_in_a_reader() -> None:
    page = parse_page(f"# {HOSTILE}\n\n{HOSTILE}\n")
    made = make_entry("AMP001", "x" * 8).model_copy(update={"added": date(2026, 1, 1), "pages": dict.fromkeys(LANGS, page)})
    (one,) = entries_of(Catalog(entries={made.id: made}, digest=""))
    assert one.findtext(f"{ATOM}title") == HOSTILE
    # A summary is HTML once it has been read as XML.
    assert "<script>" not in (one.findtext(f"{ATOM}summary") or "")
