from pathlib import Path

import pytest

from tests.site.browsing import Site
from tests.site.markup import Built, read_page


def test_every_address_within_the_site_leads_somewhere(site: Site) -> None:
    built = Built(site.folder, site.origin)
    wrong = {str(page.relative_to(site.folder)): found for page in built.pages() if (found := built.broken(page))}
    assert wrong == {}


def test_no_page_holds_anything_that_runs(site: Site) -> None:
    pages = Built(site.folder, site.origin).pages()
    assert len(pages) > len(site.catalog)
    running = {str(page.relative_to(site.folder)): found for page in pages if (found := read_page(page).runs)}
    assert running == {}


@pytest.mark.parametrize(
    ("markup", "broken", "runs"),
    [
        ('<a id="here" href="#here">', [], 0),
        ('<a href="#there">', ["#there"], 0),
        ('<a href="other/#here">', ["other/#here"], 0),
        ('<img src="/picture.png">', ["/picture.png"], 0),
        ('<a href="https://example.org/nothing">', [], 0),
        ("<script>alert(1)</script>", [], 1),
        ('<script type="application/json">{}</script>', [], 0),
        ('<p onclick="alert(1)">', [], 1),
    ],
)
def test_what_is_wrong_with_a_page_is_seen(markup: str, broken: list[str], runs: int, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "index.html").write_text("<p>", encoding="utf-8")
    page = tmp_path / "index.html"
    page.write_text(markup, encoding="utf-8")
    assert Built(tmp_path, "http://here.test").broken(page) == broken
    assert len(read_page(page).runs) == runs
