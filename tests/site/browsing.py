"""What the site's tests share: the served site, a visit of the browser, and a few of its gestures."""

import json
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page, Route, ViewportSize, expect

from errdex.catalog import Catalog
from errdex.entry import Entry

# A host of its own, so that the site is built once for all workers, whatever port each serves it at; `.localhost` counts
# as secure, which the clipboard asks for.
ORIGIN = "http://errdex.localhost"
API = "http://api.localhost"  # no server is there: tests that ask it play it
RESULT = ".md-search-result__link"
ANSWER = "[data-lookup-answer]"
DESKTOP: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 844}


@dataclass(frozen=True)
class Site:
    """The built site, being served."""

    origin: str
    folder: Path
    catalog: Catalog
    port: int


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

        self.page.route(f"{API}/lookup", reply)
        return asked

    def look_up(self, text: str) -> None:
        """Ask the box, and wait for the answer."""
        self.page.locator("#ex-log").fill(text)
        self.submit()

    def submit(self) -> None:
        """Send what stands in the box or was given to it, and wait for the answer."""
        self.page.locator("[data-lookup] [type=submit]").click()
        self.page.locator(f"{ANSWER} h2, {ANSWER} p + *, {ANSWER} p:only-child").first.wait_for()
        expect(self.page.locator("[data-lookup] [type=submit]")).to_be_enabled()


def richest(site: Site) -> Entry:
    """The entry with the most code on its page."""
    return max(site.catalog.active, key=lambda e: (len(e.pages["en"].fences), e.id))


def crowded(site: Site) -> list[Entry]:
    """The entries whose pages hold most, and every sixth of all."""

    def size(entry: Entry) -> tuple[int, str]:
        return sum(len(text) for text in entry.samples.values()) + len(entry.pages["zh-TW"].source), entry.id

    fullest = {entry.id for entry in sorted(site.catalog.active, key=size)[-20:]}
    return [entry for number, entry in enumerate(site.catalog.active) if entry.id in fullest or number % 6 == 0]


def page_types(site: Site) -> dict[str, str]:
    """One address below each language for every kind of page that the site has."""
    entry = richest(site)
    return {
        "home": "",
        "lookup": "lookup/",
        "entry": f"{entry.path}/",
        "area": f"{entry.area}/",
        "list": "exception/RuntimeError/",
        "index of lists": "library/",
        "table": "all/",
        "guides": "guides/",
        "prose": "contribute/",
        "plots": "quality/",
        "missing": "404.html",
    }


def search(visit: Visit, words: str) -> None:
    visit.page.locator("[data-md-component=search-query]").click()
    visit.page.keyboard.insert_text(words)
    visit.page.keyboard.press("Shift")  # the search listens to keys, which insert_text does not press
