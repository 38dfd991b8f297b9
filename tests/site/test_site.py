import functools
import http.server
import json
import os
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, ViewportSize, expect, sync_playwright

from errdex.catalog import Catalog, load_catalog
from errdex.entry import LANGS, Entry
from errdex.sitebuild import build_site

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
RESULT = ".md-search-result__link"
ANSWER = "[data-lookup-answer]"
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}
WIDTH = "document.documentElement.scrollWidth"
HOSTILE = "<img src=x onerror=alert(1)>"


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files, and no `/lookup`: a POST is answered with 501."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in http.server
        pass


@dataclass(frozen=True)
class Site:
    """The built site, being served."""

    origin: str
    folder: Path
    catalog: Catalog


@dataclass(frozen=True)
class Visit:
    """A page of the browser, with what went wrong on it."""

    page: Page
    origin: str
    elsewhere: list[str]
    complaints: list[str]

    def open(self, path: str) -> None:
        """Go to a page and wait until the theme's script has taken it over."""
        self.page.goto(f"{self.origin}{path}")
        self.page.wait_for_selector("html.js")

    def answer_lookups(self, body: dict[str, object], status: int = 200) -> list[dict[str, object]]:
        """Play the lookup service; returns the list that gathers what it is asked."""
        asked: list[dict[str, object]] = []

        def reply(route: Route) -> None:
            asked.append(json.loads(route.request.post_data or "{}"))
            route.fulfill(status=status, content_type="application/json", body=json.dumps(body))

        self.page.route("**/lookup", reply)
        return asked


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site") / "site"
    handler = functools.partial(QuietHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        origin = f"http://127.0.0.1:{server.server_port}"
        catalog = load_catalog()
        build_site(catalog, folder, origin)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield Site(origin, folder, catalog)
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        reason = f"{CHROMIUM} is not installed; the site was not looked at in a browser"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def visit(site: Site, browser: Browser) -> Iterator[Visit]:
    context = browser.new_context(viewport=DESKTOP, locale="en-GB")
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.origin)
    page = context.new_page()
    seen = Visit(page, site.origin, [], [])

    def watch(route: Route) -> None:
        if route.request.url.startswith((f"{site.origin}/", "data:", "blob:")):
            route.continue_()
        else:
            seen.elsewhere.append(route.request.url)
            route.abort()

    page.route("**/*", watch)
    page.on("console", lambda m: seen.complaints.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    yield seen
    context.close()


@pytest.fixture
def plain(browser: Browser) -> Iterator[Page]:
    """A page without JavaScript, for looking at many pages quickly."""
    context = browser.new_context(viewport=DESKTOP, java_script_enabled=False)
    yield context.new_page()
    context.close()


def richest(site: Site) -> Entry:
    """The entry with the most code on its page."""
    return max(site.catalog.active, key=lambda e: (len(e.pages["en"].fences), e.id))


def search(visit: Visit, words: str) -> None:
    visit.page.locator("[data-md-component=search-query]").click()
    visit.page.keyboard.insert_text(words)
    visit.page.keyboard.press("Shift")  # the search listens to keys, which insert_text does not press


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
    entry = richest(site)
    for path in ("", f"{entry.path}/", f"{entry.area}/", "about/"):
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


def test_the_list_of_other_names_is_not_read_out(visit: Visit) -> None:
    visit.open("/zh-CN/")
    search(visit, "记忆体不足")
    expect(visit.page.locator(RESULT).first).to_be_visible()
    expect(visit.page.locator(".md-search-result__article sup:visible")).to_have_count(0)


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
    for entry in site.catalog.active:
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
    for number, entry in enumerate(site.catalog):
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


def answer(status: str) -> dict[str, object]:
    result = {
        "id": "AMP003",
        "title": f"Title {HOSTILE}",
        "url": "javascript:alert(1)",
        "confidence": 0.98,
        "summary": f"Use `autocast` {HOSTILE}",
        "evidence": {"line": 3, "text": f"ValueError: {HOSTILE}"},
        "fixes": [{"title": "Cast it"}],
    }
    root = {"type": "ValueError", "message": HOSTILE}
    return {"status": status, "results": [] if status == "no_match" else [result], "report": {"root": root}}


@pytest.mark.parametrize("status", ["match", "candidates", "no_match"])
def test_an_answer_is_shown_as_text(status: str, visit: Visit) -> None:
    asked = visit.answer_lookups(answer(status))
    visit.open("/zh-TW/")
    visit.page.locator("#ex-log").fill("ValueError: x")
    visit.page.locator("[data-lookup] [type=submit]").click()
    place = visit.page.locator(ANSWER)
    expect(place).to_contain_text(HOSTILE)
    assert asked == [{"traceback": "ValueError: x", "lang": "zh-TW"}]
    assert place.locator("img, a[href^='javascript']").count() == 0
    assert visit.complaints == []


def test_a_problem_is_named(visit: Visit) -> None:
    visit.answer_lookups({"title": "Too large", "detail": "The limit is 1 MiB."}, status=413)
    visit.open("/en/")
    visit.page.locator("#ex-log").fill("x")
    visit.page.locator("[data-lookup] [type=submit]").click()
    expect(visit.page.locator(ANSWER)).to_contain_text("The limit is 1 MiB.")


def test_without_the_service_the_box_says_so_and_offers_the_search(visit: Visit) -> None:
    visit.open("/en/")
    visit.page.locator("#ex-log").fill("noise\nAttempting to unscale FP16 gradients")
    visit.page.locator("[data-lookup] [type=submit]").click()
    expect(visit.page.locator(ANSWER)).to_contain_text("does not answer here")
    visit.page.locator(f"{ANSWER} button").click()
    expect(visit.page.locator(RESULT).first).to_be_visible()


def test_pages_link_only_to_pages_that_exist(site: Site) -> None:
    urls = json.loads((site.folder / "en" / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    missing = [d["location"] for d in urls if not (site.folder / "en" / d["location"].split("#")[0]).exists()]
    assert missing == []
