"""Every kind of page, in each language: valid HTML, and no serious fault for those who cannot see or use a mouse."""

import itertools
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # it ships no types
from playwright.sync_api import Browser, Page, ViewportSize, expect

from errdex.entry import LANGS
from tests.site.browsing import DESKTOP, PHONE, RESULT, Site, page_types
from tests.site.validity import faults

GRAVE = {"serious", "critical"}
OPTIONS = {"resultTypes": ["violations"]}


def paths(site: Site) -> Iterator[tuple[str, str]]:
    """The root, and each kind of page in each language."""
    yield "root", "/"
    for lang, (kind, path) in itertools.product(LANGS, page_types(site).items()):
        yield kind, f"/{lang}/{path}"


def test_every_kind_of_page_is_valid(site: Site) -> None:
    found: dict[str, set[str]] = {}
    for _, path in paths(site):
        file = site.folder / path.lstrip("/")
        found[path] = faults((file / "index.html" if file.is_dir() else file).read_text(encoding="utf-8"))
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize(
    ("markup", "fault"),
    [
        ("<!doctype html><title>x</title><p id=a><p id=a>", "id twice: a"),
        ("<!doctype html><title>x</title><a href=x><button>y</button></a>", "button in a"),
        ("<!doctype html><title>x</title><div></p></div>", "unexpected-end-tag p"),
        ("<!doctype html><title>x</title><img src=x>", "img without alt"),
        ("<!doctype html><title>x</title><dl><p>y</p></dl>", "p in dl"),
    ],
)
def test_what_is_not_valid_is_seen(markup: str, fault: str) -> None:
    assert fault in faults(markup)
    assert faults("<!doctype html><title>x</title><p id=a>y</p>") == set()


def grave(page: Page) -> dict[str, list[str]]:
    """Rules of axe-core that the page breaks gravely, with the elements."""
    found = Axe().run(page, options=OPTIONS).response["violations"]
    return {rule["id"]: [node["html"][:200] for node in rule["nodes"]] for rule in found if rule["impact"] in GRAVE}


def seen(site: Site) -> list[tuple[str, str]]:
    """The root, the pages that most people see in each language, and the other kinds in the languages in turn."""
    everywhere = ("home", "lookup", "entry")
    pages = [("root", "/")]
    for number, (kind, path) in enumerate(page_types(site).items()):
        langs = LANGS if kind in everywhere else LANGS[number % 3 :][:1]
        pages += [(kind, f"/{lang}/{path}") for lang in langs]
    return pages


def test_no_kind_of_page_shuts_anybody_out(site: Site, browser: Browser) -> None:
    found: dict[str, dict[str, list[str]]] = {}
    # Colours and screens in rotation.
    looks = itertools.cycle(itertools.product(("light", "dark"), (DESKTOP, PHONE)))
    for (kind, path), (scheme, screen) in zip(seen(site), looks, strict=False):
        context = browser.new_context(viewport=screen, color_scheme="dark" if scheme == "dark" else "light")
        page = context.new_page()
        page.route("**/language.js", lambda route: route.abort())  # the root page would lead on
        page.goto(f"{site.origin}{path}")
        if kind != "root":
            page.wait_for_selector("html.js")
        found[f"{path} {scheme} {screen['width']}"] = grave(page)
        context.close()
    assert {path: rules for path, rules in found.items() if rules} == {}


@pytest.mark.parametrize(
    ("lang", "scheme", "screen"), [("en", "light", PHONE), ("zh-CN", "dark", DESKTOP), ("zh-TW", "light", DESKTOP)]
)
def test_the_open_search_shuts_nobody_out(lang: str, scheme: str, screen: ViewportSize, site: Site, browser: Browser) -> None:
    context = browser.new_context(viewport=screen, color_scheme="dark" if scheme == "dark" else "light")
    page = context.new_page()
    page.goto(f"{site.origin}/{lang}/?q=CUDA%20memory")
    expect(page.locator(RESULT).first).to_be_visible()
    page.wait_for_timeout(400)  # until it has faded in: half-drawn colours have no contrast
    assert grave(page) == {}
    context.close()
