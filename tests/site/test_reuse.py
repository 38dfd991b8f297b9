"""What other programs take from the site: every address that it hands out leads somewhere, in each form and language."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Browser, Page, expect
from starlette.testclient import TestClient

from errdex.entry import LANGS
from errdex.settings import Settings
from errdex.web.app import create_app
from tests.site.browsing import RESULT, Site, Visit

ENTRY = "AMP003"
MISSING = {"en": "There is no such page", "zh-CN": "没有这个页面", "zh-TW": "沒有這個頁面"}


class Head(HTMLParser):
    """Addresses and descriptions in the head of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[dict[str, str | None]] = []
        self.properties: dict[str, str | None] = {}
        self.description: str | None = None
        self.feed(text[: text.index("</head>")])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "link" and (found.get("rel") or "").strip() in ("alternate", "canonical"):
            self.links.append(found)
        if tag == "meta" and (name := found.get("property")):
            self.properties[name] = found.get("content")
        if tag == "meta" and found.get("name") == "description":
            self.description = found.get("content")


def pages(site: Site) -> Iterator[Path]:
    return site.folder.rglob("*.html")


def leads_nowhere(site: Site, address: str, page: Path | None = None) -> bool:
    """Whether no file of the site stands at an address, as a static host would look for it."""
    path = address.removeprefix(site.origin).split("#")[0]
    base = site.folder if path.startswith("/") or page is None else page.parent
    target = base / path.lstrip("/")
    return not (target / "index.html" if path.endswith("/") or target.is_dir() else target).is_file()


@pytest.mark.parametrize("name", ["llms.txt", *(f"{lang}/llms.txt" for lang in LANGS)])
def test_llms_txt_leads_to_markdown_that_exists(name: str, site: Site) -> None:
    addresses = re.findall(r"\]\((\S+)\)", (site.folder / name).read_text(encoding="utf-8"))
    assert len(addresses) == len(site.catalog.active) + len(LANGS) - 1
    assert [address for address in addresses if leads_nowhere(site, address)] == []


@pytest.mark.parametrize("lang", LANGS)
def test_the_feed_leads_to_pages_and_permanent_addresses(lang: str, site: Site) -> None:
    feed = ET.parse(site.folder / lang / "feed.xml").getroot()
    addresses = [e.get("href") or e.text or "" for e in feed.iter() if e.tag.endswith(("}link", "}id"))]
    assert len(addresses) > 10
    assert [address for address in addresses if leads_nowhere(site, address)] == []


def test_the_sitemap_names_every_page_of_every_entry_once(site: Site) -> None:
    def places(file: str) -> list[str]:
        return [e.text or "" for e in ET.parse(site.folder / file).iter() if e.tag.endswith("}loc")]

    named = [place for part in places("sitemap.xml") for place in places(part.removeprefix(f"{site.origin}/"))]
    assert {f"{site.origin}/{lang}/{e.path}/" for lang in LANGS for e in site.catalog} <= set(named)
    assert len(named) == len(set(named))
    assert [place for place in named if leads_nowhere(site, place)] == []


def test_every_page_names_itself_in_three_languages_and_other_forms(site: Site) -> None:
    wrong = []
    for page in pages(site):
        head = Head(page.read_text(encoding="utf-8"))
        lost = [str(link["href"]) for link in head.links if leads_nowhere(site, str(link["href"]), page)]
        languages = [link["hreflang"] for link in head.links if link.get("hreflang")]
        if lost or (page.name != "404.html" and languages != [*LANGS, "x-default"]):
            wrong.append((page, lost, languages))
    assert wrong == []


def test_titles_and_answers_stay_whole_in_the_head(site: Site) -> None:
    titles = {entry.id: entry.pages["en"].title.replace("`", "") for entry in site.catalog.active}
    assert [title for title in titles.values() if '"' in title]  # the theme would end the attribute there
    for entry in site.catalog.active:
        head = Head((site.folder / "en" / entry.path / "index.html").read_text(encoding="utf-8"))
        assert head.properties["og:title"] == titles[entry.id]
        assert head.properties["og:description"] == head.description
        assert len(str(head.description)) > 0.8 * len(entry.pages["en"].summary)


def test_every_page_has_a_card(site: Site) -> None:
    for lang in LANGS:
        for page in (site.folder / lang).rglob("*.html"):
            said = Head(page.read_text(encoding="utf-8")).properties
            assert said["og:title"], page
            assert said["og:description"], page
            assert not leads_nowhere(site, str(said["og:image"])), page
    own = Head((site.folder / "zh-TW" / site.catalog.get(ENTRY).path / "index.html").read_text(encoding="utf-8"))
    assert str(own.properties["og:image"]).endswith("/unscale-fp16-gradients/card.png")


@pytest.fixture(scope="module")
def client(site: Site, settings: Settings) -> Iterator[TestClient]:
    """The API and the site in one process, as `errdex serve` runs them."""
    both = settings.model_copy(update={"site": site.folder, "base_url": site.origin})
    with TestClient(create_app(both)) as running:
        yield running


@pytest.mark.parametrize("lang", LANGS)
def test_the_data_beside_a_page_is_what_the_api_answers(lang: str, site: Site, client: TestClient) -> None:
    for entry in [*site.catalog][::9]:
        stands = json.loads((site.folder / lang / entry.path / "entry.json").read_text(encoding="utf-8"))
        assert stands == client.get(f"/entries/{entry.id}?lang={lang}").json()


def test_ids_in_the_data_have_their_permanent_address(site: Site) -> None:
    for entry in site.catalog:
        data = json.loads((site.folder / "en" / entry.path / "entry.json").read_text(encoding="utf-8"))
        assert not leads_nowhere(site, data["url"])
        assert [i for i in [entry.id, *data["related"]] if leads_nowhere(site, f"/e/{i}/")] == []


@pytest.mark.parametrize("path", [f"/e/{ENTRY}", f"/e/{ENTRY}/", "/e/amp003/"])
def test_the_service_redirects_with_and_without_the_slash(path: str, client: TestClient) -> None:
    answer = client.get(path, headers={"accept-language": "zh-HK"}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, "/zh-TW/amp/unscale-fp16-gradients/")
    assert client.get(path).status_code == 200


def test_the_service_says_which_form_it_serves(site: Site, client: TestClient) -> None:
    base = f"/en/{site.catalog.get(ENTRY).path}"
    answers = [client.get(f"{base}/{name}") for name in ("entry.json", "index.md", "card.png")]
    kinds = [answer.headers["content-type"].split(";")[0] for answer in answers]
    assert kinds == ["application/json", "text/markdown", "image/png"]


@pytest.mark.parametrize(("locale", "lang"), [("en-US", "en"), ("zh-CN", "zh-CN"), ("zh-HK", "zh-TW"), ("fr-FR", "en")])
def test_a_permanent_address_leads_to_the_readers_language(locale: str, lang: str, site: Site, browser: Browser) -> None:
    context = browser.new_context(locale=locale)
    page = context.new_page()
    page.goto(f"{site.origin}/e/{ENTRY}/#fix")
    page.wait_for_url(f"{site.origin}/{lang}/{site.catalog.get(ENTRY).path}/#fix")
    context.close()


def test_a_permanent_address_works_without_javascript(site: Site, plain: Page) -> None:
    plain.goto(f"{site.origin}/e/{ENTRY}/")
    path = site.catalog.get(ENTRY).path
    assert [link.get_attribute("href") for link in plain.locator("a").all()] == [f"/{lang}/{path}/" for lang in LANGS]


def test_other_forms_are_opened_from_the_page(site: Site, visit: Visit) -> None:
    path = f"/en/{site.catalog.get(ENTRY).path}/"
    for name in ("index.md", "entry.json"):
        visit.open(path)
        visit.page.locator(f".ex-forms a[href$='{name}']").click()
        visit.page.wait_for_url(f"**{path}{name}")
    assert visit.complaints == []


@pytest.mark.parametrize(
    ("lang", "said"), [("en", "There is no such page"), ("zh-CN", "没有这个页面"), ("zh-TW", "沒有這個頁面")]
)
def test_a_missing_page_is_said_in_its_language_and_leads_home(lang: str, said: str, site: Site, visit: Visit) -> None:
    visit.open(f"/{lang}/404.html")
    expect(visit.page.locator("h1")).to_have_text(said)
    visit.page.locator(".md-content a").click()
    visit.page.wait_for_url(f"{site.origin}/{lang}/")


def test_the_keyboard_alone_skips_searches_and_goes_back(visit: Visit) -> None:
    visit.open("/en/amp/unscale-fp16-gradients/")
    visit.page.keyboard.press("Tab")
    expect(visit.page.locator(".md-skip")).to_be_focused()
    visit.page.keyboard.press("/")
    expect(visit.page.locator("[data-md-component=search-query]")).to_be_focused()
    visit.page.keyboard.type("GradScaler")
    expect(visit.page.locator(RESULT).first).to_be_visible()
    visit.page.keyboard.press("Escape")
    expect(visit.page.locator(RESULT).first).to_be_hidden()
