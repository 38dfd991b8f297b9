from errdex.catalog import PACKAGE, Catalog
from errdex.entry import Entry, Repro
from errdex.links import Links
from errdex.llms import llms_text
from errdex.page import fences, headings
from errdex.plain import document_url, plain_document
from errdex.words import read_words
from tests.made import make_entry

SITE_WORDS = read_words(PACKAGE.parents[1] / "site" / "strings.toml")
LINKS = Links("http://errdex.test")


def document(entry: Entry, *others: Entry) -> str:
    catalog = Catalog(entries={e.id: e for e in (entry, *others)}, digest="")
    return plain_document(entry, "en", SITE_WORDS.languages["en"], catalog, LINKS)


def test_every_real_entry_is_there_whole(catalog: Catalog) -> None:
    for entry in catalog:
        text = plain_document(entry, "zh-CN", SITE_WORDS.languages["zh-CN"], catalog, LINKS)
        shown = set(fences(text))
        assert {code.rstrip() for code in entry.scripts.values()} <= shown, entry.id
        assert set(entry.pages["zh-CN"].fences) <= shown, entry.id
        assert entry.pages["zh-CN"].summary in text
        assert all(url in text for url in entry.sources)
        assert not [h.text for h in headings(text) if h.anchor], entry.id


def test_the_message_stands_before_its_meaning(catalog: Catalog) -> None:
    text = document(catalog.get("unscale-fp16-gradients"))
    assert text.index("ValueError: Attempting to unscale FP16 gradients.") < text.index("## Meaning")
    assert "http://errdex.test/en/amp/unscale-fp16-gradients/" in text


def test_code_that_holds_a_fence_stays_whole() -> None:
    entry = make_entry("AMP001", "x" * 8).model_copy(update={"scripts": {"broken.py": 'x = """\n```\n"""\n'}})
    assert 'x = """\n```\n"""' in fences(document(entry))


def test_why_there_is_no_proof_is_said() -> None:
    entry = make_entry("AMP001", "x" * 8).model_copy(update={"repro": Repro(none="A broken card.")})
    assert "A broken card." in document(entry)


def test_an_entry_that_was_merged_leads_to_its_heir() -> None:
    heir = make_entry("AMP002", "x" * 8)
    merged = make_entry("AMP001", "x" * 8).model_copy(update={"status": "merged-into:AMP002"})
    assert f"]({document_url(heir, 'en', LINKS)})" in document(merged, heir)
    assert SITE_WORDS.languages["en"]["retired"] in document(merged.model_copy(update={"status": "retired"}))


def test_llms_txt_lists_active_entries_by_area() -> None:
    active, gone = make_entry("AMP001", "x" * 8), make_entry("MEM001", "x" * 8).model_copy(update={"status": "retired"})
    text = llms_text(Catalog(entries={"AMP001": active, "MEM001": gone}, digest=""), "en", SITE_WORDS, LINKS)
    assert [h.text for h in headings(text)] == ["errdex", "Mixed precision", "Other languages"]
    assert text.startswith("# errdex\n\n> ")
    assert f"]({document_url(active, 'en', LINKS)}): " in text
    assert "http://errdex.test/zh-TW/llms.txt" in text
