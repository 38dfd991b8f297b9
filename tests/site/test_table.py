"""The lists and the table of all entries in a real browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from errdex.entry import LANGS
from tests.site.browsing import ORIGIN, PHONE, Site, Visit

ROWS = ".ex-table tbody tr"
LISTS = ("all", "guides", "area", "library", "exception", "code", "library/torch", "exception/RuntimeError", "code/exit/-9")


def count_shown(visit: Visit) -> int:
    rows = visit.page.locator(f"{ROWS}:visible").count()
    said = re.findall(r"\d+", visit.page.locator("[data-table-filter] output").inner_text())
    assert int(said[0]) == rows
    return rows


def test_the_table_is_filtered_by_every_field_at_once(site: Site, visit: Visit) -> None:
    visit.open("/en/all/")
    entries = site.catalog.active
    assert count_shown(visit) == len(entries)
    visit.page.get_by_label("Area").select_option(label="Mixed precision")
    assert count_shown(visit) == sum(e.area == "amp" for e in entries)
    visit.page.get_by_label("Library").select_option("peft")
    assert count_shown(visit) == sum(e.area == "amp" and "peft" in e.products for e in entries)
    visit.page.get_by_label("Proof").select_option(label="executed")
    wanted = [e for e in entries if e.area == "amp" and "peft" in e.products and e.checked.run]
    assert count_shown(visit) == len(wanted) > 0
    visit.page.get_by_role("button", name="Show all").click()
    expect(visit.page.locator("[data-table-filter] output")).to_contain_text(f"{len(entries)} of {len(entries)}")
    visit.page.get_by_label("Kind").select_option(label="Guide")
    assert count_shown(visit) == sum(e.kind == "guide" for e in entries)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("words", ["unscale FP16", "AMP003", "fp16  GRADIENTS unscale", "Attempting to unscale FP16 gradients."])
def test_words_find_a_row_in_every_language(lang: str, words: str, site: Site, visit: Visit) -> None:
    visit.open(f"/{lang}/all/")
    visit.page.locator("[data-filter=text]").fill(words)
    link = f"{ROWS}:visible a[href*='{site.catalog.get('AMP003').path}']"
    expect(visit.page.locator(link)).to_have_count(1)
    assert count_shown(visit) < 8


def test_words_that_fit_nothing_say_so(visit: Visit) -> None:
    visit.open("/en/all/")
    visit.page.locator("[data-filter=text]").fill("<img src=x onerror=alert(1)>")
    assert count_shown(visit) == 0
    assert visit.complaints == []


def test_the_filter_works_by_keyboard_and_after_instant_navigation(site: Site, visit: Visit) -> None:
    visit.open("/en/library/")
    visit.page.locator(".md-nav--primary a[href$='/all/']").first.click()
    visit.page.wait_for_url("**/en/all/")
    field = visit.page.locator("[data-filter=text]")
    expect(field).to_be_visible()
    field.focus()
    visit.page.keyboard.type("unscale fp16 gradients")
    visit.page.keyboard.press("Enter")
    assert visit.page.url.endswith("/en/all/")
    shown = count_shown(visit)
    assert 0 < shown < 8
    visit.page.keyboard.press("Tab")
    expect(visit.page.locator("[data-filter=area]")).to_be_focused()
    for _ in range(4):
        visit.page.keyboard.press("Tab")
    visit.page.keyboard.press("Enter")
    expect(visit.page.locator(f"{ROWS}:visible")).to_have_count(len(site.catalog.active))
    visit.page.keyboard.press("Tab")
    expect(visit.page.locator(f"{ROWS} a").first).to_be_focused()


def test_without_javascript_the_table_is_whole_and_the_filter_hidden(site: Site, plain: Page) -> None:
    plain.goto(f"{ORIGIN}/en/all/")
    expect(plain.locator(f"{ROWS}:visible")).to_have_count(len(site.catalog.active))
    expect(plain.locator("[data-table-filter]")).to_be_hidden()


def test_the_table_shows_the_most_reported_first(plain: Page) -> None:
    plain.goto(f"{ORIGIN}/en/all/")
    counts = [int(text) for text in plain.locator(f"{ROWS} td:last-child").all_inner_texts()]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1]


@pytest.mark.parametrize("lang", LANGS)
def test_lists_fit_a_phone_and_lead_to_entries(lang: str, site: Site, plain: Page) -> None:
    plain.set_viewport_size(PHONE)
    for path in LISTS:
        plain.goto(f"{ORIGIN}/{lang}/{path}/")
        assert plain.locator("main").evaluate("main => main.scrollWidth") <= PHONE["width"], path
        assert plain.locator("article :is(.ex-list, .ex-areas, .ex-table) a").count() > 0, path


@pytest.mark.parametrize("lang", LANGS)
def test_every_list_is_reached_from_the_index_of_its_family(lang: str, site: Site, plain: Page) -> None:
    for family in ("library", "exception", "code"):
        plain.goto(f"{ORIGIN}/{lang}/{family}/")
        reached = {link.get_attribute("href") for link in plain.locator("article .ex-areas a").all()}
        files = (site.folder / lang / family).rglob("*/index.html")
        wanted = {f"{path.parent.relative_to(site.folder / lang / family)}/" for path in files}
        assert reached == wanted


def test_lists_are_not_in_the_search(site: Site) -> None:
    index = (site.folder / "en" / "search" / "search_index.json").read_text(encoding="utf-8")
    assert not re.search(r'"location":"(?:all|guides|area|library|exception|code)/', index)
