"""The page of an entry in a real browser: its order, its wordings, its files, on paper, in the dark and by keyboard."""

import gzip
import re

import pytest
from playwright.sync_api import Page, expect

from errdex.entry import LANGS, Entry
from errdex.wording import wordings
from tests.site.browsing import DESKTOP, ORIGIN, Site, Visit, richest

WEIGHT = 150 * 1024
ORDER = [".ex-wording", ".ex-answer", ".ex-facts", "#meaning", "#cause", "#fix", "#verify", "#proof", "#see-also", "#sources"]
ORDER.append("#feedback")
TOPS = """selectors => selectors.map(s => document.querySelector(s))
    .map(e => e.getBoundingClientRect().top)"""
# What a colour looks like to the eye, from 0 (black) to 1 (white); `transparent` shows what is behind it.
LUMINANCE = """element => {
    for (let e = element; e; e = e.parentElement) {
        const [r, g, b, a = 1] = getComputedStyle(e).backgroundColor.match(/[\\d.]+/g).map(Number);
        if (a > 0) return (r + g + b) / 765;
    }
    return 1;
}"""


def most_wordings(site: Site) -> Entry:
    return max(site.catalog.active, key=lambda e: (len(wordings(e)), e.id))


def test_the_parts_of_a_page_stand_in_their_order(site: Site, visit: Visit) -> None:
    entry = site.catalog.get("unscale-fp16-gradients")
    for lang in LANGS:
        visit.open(f"/{lang}/{entry.path}/")
        tops = visit.page.evaluate(TOPS, ORDER)
        assert tops == sorted(tops), lang


def test_each_wording_can_be_copied_and_says_its_versions(site: Site, visit: Visit) -> None:
    entry = most_wordings(site)
    visit.open(f"/zh-CN/{entry.path}/")
    visit.page.locator("details.quote > summary").click()
    parts = visit.page.locator(".ex-wording").all()
    copied = []
    for part in parts:
        part.locator("[data-md-type=copy]").click()
        copied.append(visit.page.evaluate("navigator.clipboard.readText()").strip())
        expect(part.locator(".ex-note")).not_to_be_empty()
    assert copied == [wording.text.strip() for wording in wordings(entry)]


def test_in_chinese_the_first_fix_is_seen_without_scrolling(site: Site, plain: Page) -> None:
    def height(entry: Entry) -> int:
        return len(entry.pages["zh-TW"].title) + sum(len(wording.text) for wording in wordings(entry))

    hidden = []
    # The fullest pages, the two editions in turn; every English page is looked at elsewhere.
    crowded = sorted((e for e in site.catalog.active if len(wordings(e)) in (2, 3)), key=height)[-16:]
    for number, entry in enumerate(crowded):
        path = f"/{LANGS[1 + number % 2]}/{entry.path}/"
        plain.goto(f"{ORIGIN}{path}")
        box = plain.locator(".ex-answer").locator("li a" if entry.pages["en"].fixes else "p").first.bounding_box()
        if box is None or box["y"] + box["height"] > DESKTOP["height"]:
            hidden.append(path)
    assert hidden == []


def test_the_scripts_open_as_files_and_are_saved_under_the_name_of_the_entry(site: Site, visit: Visit) -> None:
    entry = site.catalog.get("unscale-fp16-gradients")
    visit.open(f"/en/{entry.path}/")
    visit.page.locator("details.example > summary").first.click()
    opened, saved = visit.page.locator("details.example .ex-files a").all()[:2]
    href = opened.evaluate("link => link.href")
    assert href == f"{visit.origin}/en/{entry.path}/broken.py"
    with visit.page.expect_download() as download:
        saved.click()
    assert download.value.suggested_filename == "unscale-fp16-gradients-broken.py"
    assert download.value.path().read_text(encoding="utf-8") == entry.scripts["broken.py"]


def test_the_facts_lead_to_the_lists(site: Site, visit: Visit) -> None:
    entry = site.catalog.get("unscale-fp16-gradients")
    visit.open(f"/en/{entry.path}/")
    facts = visit.page.locator(".ex-facts")
    expect(facts).to_contain_text("executed on CPU")
    expect(facts).to_contain_text("up to date")
    facts.get_by_role("link", name="ValueError").click()
    visit.page.wait_for_url("**/en/exception/ValueError/")
    expect(visit.page.locator(".ex-list a").filter(has_text="Attempting to unscale FP16 gradients")).to_be_visible()


def test_a_reader_can_report_a_page(site: Site, visit: Visit) -> None:
    visit.open(f"/zh-TW/{site.catalog.get('unscale-fp16-gradients').path}/")
    visit.page.locator(".ex-feedback a").click()
    visit.page.wait_for_url("**/zh-TW/contribute/#report")
    expect(visit.page.locator("#report")).to_be_visible()


def test_on_paper_the_entry_stands_alone_and_whole(site: Site, visit: Visit) -> None:
    entry = most_wordings(site)
    visit.open(f"/en/{entry.path}/")
    visit.page.emulate_media(media="print", color_scheme="dark")
    for gone in (".md-header", ".md-sidebar", ".md-footer", ".md-code__nav", ".ex-files", ".ex-feedback"):
        expect(visit.page.locator(f"{gone}:visible")).to_have_count(0)
    for code in visit.page.locator("details pre > code").all():
        expect(code).to_be_visible()
    cut = "codes => codes.filter(c => c.scrollWidth > c.clientWidth + 1 || c.scrollHeight > c.clientHeight + 1).length"
    assert visit.page.locator("pre > code").evaluate_all(cut) == 0
    assert visit.page.locator(".ex-answer").evaluate(LUMINANCE) == 1
    for url in entry.sources:
        expect(visit.page.locator("article")).to_contain_text(url)


def test_paper_needs_no_script_to_unfold_the_page(site: Site, plain: Page) -> None:
    plain.goto(f"{ORIGIN}/en/{most_wordings(site).path}/")
    expect(plain.locator("details pre > code").first).not_to_be_visible()
    plain.emulate_media(media="print")
    for code in plain.locator("details pre > code").all():
        expect(code).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_follows_the_readers_scheme(scheme: str, site: Site, visit: Visit) -> None:
    visit.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    for path in (f"/en/{richest(site).path}/", "/en/all/", "/en/code/"):
        visit.open(path)
        for part in ("article", "article :is(.ex-wording code, .ex-filter input, .ex-areas li)"):
            shade = visit.page.locator(part).first.evaluate(LUMINANCE)
            assert (shade < 0.3) is (scheme == "dark"), (path, part)


def test_the_keyboard_skips_the_navigation_and_opens_what_is_folded(site: Site, visit: Visit) -> None:
    visit.open(f"/en/{most_wordings(site).path}/")
    visit.page.keyboard.press("Tab")
    expect(visit.page.locator(".md-skip")).to_be_focused()
    fold = visit.page.locator("details.quote")
    fold.locator("summary").focus()
    visit.page.keyboard.press("Enter")
    expect(fold).to_have_attribute("open", "")
    # The theme draws no ring of its own around what is reached by keyboard alone.
    assert fold.locator("summary").evaluate("e => getComputedStyle(e).outlineStyle") != "none"


def test_the_heaviest_entry_weighs_little(site: Site) -> None:
    def packed(path: str) -> int:
        return len(gzip.compress((site.folder / path).read_bytes()))

    heaviest = max((f"{lang}/{e.path}/index.html" for lang in LANGS for e in site.catalog), key=packed)
    text = (site.folder / heaviest).read_text(encoding="utf-8")
    folder = (site.folder / heaviest).parent
    parts = re.findall(r'<(?:script src|link rel="stylesheet" href|link rel="icon" href|img src)="([^"]+)"', text)
    files = {(folder / part).resolve() for part in parts}
    assert len(files) > 4
    assert packed(heaviest) + sum(packed(str(path.relative_to(site.folder.resolve()))) for path in files) < WEIGHT


def test_nothing_of_a_page_spills_out_of_its_head(site: Site) -> None:
    spilt = []
    for lang in LANGS:
        for entry in site.catalog:
            text = (site.folder / lang / entry.path / "index.html").read_text(encoding="utf-8")
            head = text.split("</head>")[0]
            described = re.search(r'<meta name="description" content="([^"]*)">\n', head)
            if described is None or "<" in described[1]:
                spilt.append(f"{lang}/{entry.path}")
    assert spilt == []


def test_marks_in_a_title_are_read_as_written_wherever_the_title_stands(site: Site, visit: Visit) -> None:
    entry = next(e for e in site.catalog.active if "<" in e.pages["en"].title and "`" not in e.pages["en"].title)
    title = entry.pages["en"].title
    visit.open(f"/en/{entry.path}/")
    assert visit.page.title().startswith(title)
    for part in ("article h1", ".md-header__topic:last-child", ".md-nav--primary .md-nav__link--active:visible"):
        expect(visit.page.locator(part).last).to_contain_text(title)
