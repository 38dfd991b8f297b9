import json
import re

import pytest
from playwright.sync_api import Browser, Page, expect

from errdex.entry import LANGS
from tests.site.browsing import DESKTOP, PHONE, RESULT, Site, Visit, crowded, page_types, richest, search

WIDTH = "document.documentElement.scrollWidth"


def test_every_entry_has_its_page_in_three_languages(site: Site) -> None:
    paths = [f"{lang}/{entry.path}/index.html" for lang in LANGS for entry in site.catalog]
    assert [path for path in paths if not (site.folder / path).is_file()] == []


def test_pages_say_which_language_they_are_in(site: Site) -> None:
    for lang in LANGS:
        assert f'<html lang="{lang}"' in (site.folder / lang / "index.html").read_text(encoding="utf-8")


def test_the_search_index_is_not_escaped(site: Site) -> None:
    assert "显存" in (site.folder / "zh-CN" / "search" / "search_index.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("lang", LANGS)
def test_nothing_is_asked_of_other_hosts_and_nothing_complains(lang: str, site: Site, visit: Visit) -> None:
    for path in page_types(site).values():
        visit.open(f"/{lang}/{path}")
    search(visit, "CUDA")
    expect(visit.page.locator(RESULT).first).to_be_visible()
    assert visit.elsewhere == []
    assert visit.complaints == []


@pytest.mark.parametrize("lang", ["zh-CN", "zh-TW"])
@pytest.mark.parametrize("words", ["显存不足", "記憶體不足", "显存", "梯度", "混合精度", "顯示記憶體"])
def test_both_chinese_editions_find_words_of_both_scripts(lang: str, words: str, visit: Visit) -> None:
    visit.open(f"/{lang}/")
    search(visit, words)
    expect(visit.page.locator(RESULT).first).to_be_visible()


@pytest.mark.parametrize("lang", ["zh-CN", "zh-TW"])
@pytest.mark.parametrize("words", ["显存不足", "記憶體不足"])
def test_out_of_memory_comes_first_in_both_scripts(lang: str, words: str, visit: Visit) -> None:
    visit.open(f"/{lang}/")
    search(visit, words)
    first = visit.page.locator(RESULT).first
    expect(first).to_have_attribute("href", re.compile(f"/{lang}/mem/cuda-out-of-memory/"))


def test_an_english_message_is_found_by_its_words(visit: Visit) -> None:
    visit.open("/en/")
    search(visit, "unscale FP16 gradients")
    first = visit.page.locator(RESULT).first
    expect(first).to_have_attribute("href", re.compile("/en/amp/unscale-fp16-gradients/"))


def test_choosing_a_language_stays_on_the_page_and_at_its_anchor(site: Site, visit: Visit) -> None:
    path = site.catalog.get("unscale-fp16-gradients").path
    visit.open(f"/en/{path}/#fix")
    for lang in ("zh-CN", "zh-TW", "en"):
        visit.page.locator(".md-select").hover()
        visit.page.locator(f".md-select__link[hreflang='{lang}']").click()
        visit.page.wait_for_url(f"**/{lang}/{path}/#fix")
        expect(visit.page.locator("html")).to_have_attribute("lang", lang)


def test_the_message_can_be_copied(site: Site, visit: Visit) -> None:
    visit.open(f"/en/{site.catalog.get('unscale-fp16-gradients').path}/")
    visit.page.locator(".ex-message [data-md-type=copy]").first.click()
    copied = visit.page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == "ValueError: Attempting to unscale FP16 gradients."


def test_message_and_first_fix_are_seen_without_scrolling(site: Site, plain: Page) -> None:
    hidden = []
    for entry in crowded(site):
        plain.goto(f"{site.origin}/en/{entry.path}/")
        box = plain.locator(".ex-answer").locator("li a" if entry.pages["en"].fixes else "p").first.bounding_box()
        if box is None or box["y"] + box["height"] > DESKTOP["height"]:
            hidden.append(entry.path)
    assert hidden == []


@pytest.mark.parametrize("lang", LANGS)
def test_a_phone_shows_no_page_wider_than_itself(lang: str, site: Site, visit: Visit) -> None:
    visit.page.set_viewport_size(PHONE)
    entry = richest(site)
    for path in ("", "about/", f"{entry.area}/", f"{entry.path}/"):
        visit.open(f"/{lang}/{path}")
        assert visit.page.evaluate(WIDTH) == PHONE["width"], path


def test_no_entry_is_wider_than_a_phone(site: Site, plain: Page) -> None:
    plain.set_viewport_size(PHONE)
    wide = []
    for number, entry in enumerate(crowded(site)):
        # The languages in turn: their layout is the same.
        path = f"{LANGS[number % len(LANGS)]}/{entry.path}/"
        plain.goto(f"{site.origin}/{path}")
        if plain.locator("main").evaluate("main => main.scrollWidth") > PHONE["width"]:
            wide.append(path)
    assert wide == []


def test_the_root_sends_to_the_readers_language(site: Site, browser: Browser) -> None:
    for locale, lang in (("en-US", "en"), ("zh-CN", "zh-CN"), ("zh-HK", "zh-TW"), ("fr-FR", "en")):
        context = browser.new_context(locale=locale)
        page = context.new_page()
        page.goto(site.origin)
        page.wait_for_url(f"{site.origin}/{lang}/")
        context.close()


def test_the_root_works_without_javascript(site: Site, plain: Page) -> None:
    plain.goto(site.origin)
    assert [link.get_attribute("href") for link in plain.locator("a").all()] == [f"/{lang}/" for lang in LANGS]


def test_pages_link_only_to_pages_that_exist(site: Site) -> None:
    urls = json.loads((site.folder / "en" / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    missing = [d["location"] for d in urls if not (site.folder / "en" / d["location"].split("#")[0]).exists()]
    assert missing == []
