"""Text that tries to run, in every place where text comes from: entries, the address, the search box."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect

from errdex.catalog import Catalog
from errdex.entry import LANGS, Entry
from errdex.lookupbox import Hosting
from errdex.page import parse_page
from errdex.sitebuild import build_site
from tests.site.browsing import ORIGIN, RESULT, Visit, search
from tests.site.conftest import served
from tests.site.markup import Built, read_page

HOSTILE = tomllib.loads(Path(__file__).with_name("hostile.toml").read_text(encoding="utf-8"))
PAYLOADS: list[str] = HOSTILE["payloads"]
BLOCKS: list[str] = HOSTILE["blocks"]
PAGE = """# {text} {title}

{text}

## Meaning {{ #meaning }}

{text}

- {text}

## Cause {{ #cause }}

| a | b |
| --- | --- |
| {text} | x |

## Fix {{ #fix }}

### {text}

```python
# {text}
```

## Verify {{ #verify }}

> {text}

{block}
"""


def hostile_entry(number: int, text: str, block: str) -> Entry:
    """An entry with the text wherever the schema lets any text stand."""
    page = parse_page(PAGE.format(text=text, title=f"Hostile {number}", block=block))
    address = "https://example.org/" + "".join(text.split())
    fields: dict[str, object] = {
        "id": f"MEM{number:03}",
        "status": "active" if number % 9 else "retired",
        "kind": "error",
        "role": "cause",
        "products": ["torch"],
        "versions": {"torch": ">=1.6", text: ">=1"},
        "exceptions": ["ValueError"],
        "related": [f"MEM{max(1, number - 1):03}"],
        "sources": [address],
        "aliases": {lang: [text] for lang in LANGS},
        "signature": [{"pattern": "hostile wording"}, {"pattern": f"nobody says {number}"}],
        "repro": {"none": text} if number % 2 else {"needs": [f"old:{text}"]},
        "area": "mem",
        "slug": f"hostile-{number}",
        "pages": dict.fromkeys(LANGS, page),
        "scripts": {"broken.py": f"# {text}\n", "fixed.py": f"{text}\n```\n{text}\n"},
        "samples": {"hit-a.txt": f"ValueError: hostile wording {text}\n"},
    }
    return Entry.model_validate(fields)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site whose entries hold every payload in every field."""
    blocks = [*BLOCKS, *([""] * len(PAYLOADS))]
    entries = [hostile_entry(n, text, blocks[n - 1]) for n, text in enumerate(PAYLOADS, start=1)]
    folder = tmp_path_factory.mktemp("hostile") / "site"
    build_site(Catalog(entries={e.id: e for e in entries}, digest="hostile"), folder, Hosting(ORIGIN))
    return folder


@pytest.fixture
def alerts(visit: Visit) -> list[str]:
    seen: list[str] = []

    visit.page.on("dialog", lambda dialog: dismiss(dialog, seen))
    return seen


def dismiss(dialog: Dialog, seen: list[str]) -> None:
    seen.append(dialog.message)
    dialog.dismiss()


def ran(page: Page) -> bool:
    return bool(page.evaluate("'__xss' in window"))


def test_the_corpus_is_large_enough() -> None:
    assert len(set(PAYLOADS)) >= 60


def test_nothing_in_the_pages_of_hostile_entries_can_run(hostile: Path) -> None:
    pages = Built(hostile, ORIGIN).pages()
    assert len(pages) > len(LANGS) * len(PAYLOADS)
    assert {str(path.relative_to(hostile)): found for path in pages if (found := read_page(path).runs)} == {}


def test_hostile_entries_run_nothing_in_a_browser(hostile: Path, browser: Browser, served_elsewhere: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    wrong: list[str] = []
    page.on("dialog", lambda dialog: dismiss(dialog, wrong))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    entries = [f"{LANGS[n % len(LANGS)]}/mem/hostile-{n}/" for n in range(1, len(PAYLOADS) + 1, 8)]
    for path in ("en/", "en/mem/", "en/about/", *entries):
        page.goto(f"{served_elsewhere}/{path}")
        page.wait_for_selector("html.js")
        wrong += [path] if ran(page) else []
    page.locator("[data-md-component=search-query]").fill("hostile")
    page.keyboard.press("Shift")
    expect(page.locator(RESULT).first).to_be_visible()
    wrong += ["search"] if ran(page) else []
    assert page.locator(".md-search-result__article").locator("img, script, svg:not(.md-icon svg), iframe, a").count() == 0
    assert wrong == []
    context.close()


@pytest.fixture
def served_elsewhere(hostile: Path) -> Iterator[str]:
    with served(hostile) as port:
        yield f"http://localhost:{port}"


def test_a_hostile_address_runs_nothing(visit: Visit, alerts: list[str]) -> None:
    for start in range(0, len(PAYLOADS), 6):
        text = "  ".join(PAYLOADS[start : start + 6])
        visit.page.goto(f"{visit.origin}/en/?q={quote(text)}#{quote(text)}", wait_until="commit")
        visit.page.wait_for_selector("html.js")
        expect(visit.page.locator("[data-md-component=search-query]")).to_have_value(text)
    assert not ran(visit.page)
    assert (alerts, visit.complaints, visit.elsewhere) == ([], [], [])


def test_hostile_search_words_run_nothing(visit: Visit, alerts: list[str]) -> None:
    visit.open("/en/")
    search(visit, "CUDA")
    expect(visit.page.locator(RESULT).first).to_be_visible()
    for payload in PAYLOADS:
        visit.page.locator("[data-md-component=search-query]").fill(f"memory {payload}")
        visit.page.keyboard.press("Shift")
        visit.page.wait_for_timeout(20)
    assert visit.page.locator(".md-search-result__article").locator("img, script, iframe, a").count() == 0
    assert not ran(visit.page)
    assert (alerts, visit.complaints, visit.elsewhere) == ([], [], [])


def test_hostile_words_to_mark_on_a_page_run_nothing(visit: Visit, alerts: list[str]) -> None:
    for payload in PAYLOADS[::12]:
        visit.page.goto(f"{visit.origin}/en/mem/cuda-out-of-memory/?h={quote('memory ' + payload)}")
        expect(visit.page.locator("article mark").first).to_be_attached()
        assert not ran(visit.page), payload
    assert (alerts, visit.complaints, visit.elsewhere) == ([], [], [])
