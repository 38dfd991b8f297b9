import html
import re
from collections import Counter

from errdex.lists import list_nav, list_pages, unlisted
from errdex.shelves import Shelves
from errdex.table import table_page
from tests.sheets import catalog, english, entry

ERROR = entry(products=["torch", "_private_lib"], signature=[{"pattern": r"\bcudaErrorNoDevice\b"}])
GUIDE = entry(id="AMP001", area="amp", slug="guide", kind="guide", signature=[], exceptions=[], samples={})


def shelves() -> Shelves:
    return Shelves(catalog(ERROR, GUIDE), Counter({"MEM001": 4}))


def test_each_family_has_an_index_and_each_name_its_page() -> None:
    pages = list_pages(shelves(), "en", english())
    wanted = {"area.md", "amp/index.md", "mem/index.md", "library.md", "library/torch.md", "library/_private_lib.md"}
    wanted |= {"exception.md", "exception/RuntimeError.md", "code.md", "code/gpu/cudaErrorNoDevice.md", "guides.md"}
    assert wanted <= set(pages)
    assert "- [torch](library/torch.md) 2" in pages["library.md"]
    assert "## Error names of CUDA" in pages["code.md"]
    assert "(../../mem/out-of-memory.md)" in pages["code/gpu/cudaErrorNoDevice.md"]
    assert "(../../code.md)" in pages["code/gpu/cudaErrorNoDevice.md"]


def test_guides_have_a_list_of_their_own() -> None:
    page = list_pages(shelves(), "en", english())["guides.md"]
    assert "(amp/guide.md)" in page
    assert "out-of-memory" not in page


def test_lists_stay_out_of_the_search() -> None:
    pages = list_pages(shelves(), "en", english()) | {"all.md": table_page(shelves(), "en", english())}
    assert [name for name, text in pages.items() if "search: {exclude: true}" not in text.split("\n---\n")[0]] == []


def test_every_list_is_in_the_navigation_or_left_out_of_it() -> None:
    named = {path for item in list_nav(shelves(), english()) for path in item.values()}
    left_out = {path.removeprefix("/") for path in unlisted(shelves())}
    areas = {"amp/index.md", "mem/index.md"}
    assert named | left_out | areas == {*list_pages(shelves(), "en", english()), "all.md"}


def test_the_table_has_a_row_for_each_entry_with_what_it_is_filtered_by() -> None:
    page = table_page(shelves(), "en", english())
    rows = re.findall(r"<tr data-area=.*</tr>", page)
    assert len(rows) == 2
    assert 'data-area="mem"' in rows[0]
    assert 'data-library="[&quot;torch&quot;, &quot;_private_lib&quot;]"' in rows[0]
    assert 'data-kind="error"' in rows[0]
    assert 'data-proof="wait"' in rows[0]
    assert "[Title of en](mem/out-of-memory.md)" in rows[0]
    assert ">4</td>" in rows[0]
    assert "2 of 2 entries" in page


def test_hostile_text_stays_text_in_the_table() -> None:
    hostile = '"><img src=x onerror=alert(1)>'
    one = entry(samples={"hit-a.txt": f"RuntimeError: out of memory. Tried 1 {hostile}\n"})
    page = table_page(Shelves(catalog(one)), "en", english())
    assert "<img" not in page
    assert hostile in html.unescape(page)
