"""An entry as one plain Markdown document, whole, for language models and other programs."""

from errdex.catalog import Catalog
from errdex.entry import Entry, Lang
from errdex.links import Links
from errdex.markup import title_markdown
from errdex.page import code_block
from errdex.proof import proof_line
from errdex.wording import versions_text, wordings
from errdex.words import Words


def _facts(entry: Entry, lang: Lang, words: Words, links: Links) -> str:
    others = " · ".join(name for name in entry.products if name not in entry.versions)
    rows = {
        words["fact_id"]: entry.id,
        words["url"]: links.page(entry, lang),
        words["fact_exception"]: " · ".join(entry.exceptions),
        words["fact_products"]: " · ".join(part for part in (versions_text(entry.versions), others) if part),
        words["proof"]: proof_line(entry, words),
    }
    return "\n".join(f"- {name}: {value}" for name, value in rows.items() if value)


def _messages(entry: Entry, words: Words) -> list[str]:
    """Each wording of the message, and where it holds only for some versions or is a pattern, a line that says so."""
    blocks: list[str] = []
    for wording in wordings(entry):
        notes = [versions_text(wording.versions), "" if wording.seen else words["pattern"]]
        blocks += [" · ".join(note for note in notes if note), code_block(wording.text.rstrip(), "text")]
    return [f"## {words['message']}", *(block for block in blocks if block)] if blocks else []


def _sections(entry: Entry, lang: Lang) -> str:
    """The sections of the page, their headings without anchors."""
    page = entry.pages[lang]
    lines = page.source.splitlines()
    for heading in page.headings:
        lines[heading.line - 1] = f"{'#' * heading.level} {heading.text}"
    start = page.headings[1].line - 1 if len(page.headings) > 1 else len(lines)
    return "\n".join(lines[start:]).strip()


def _related(entry: Entry, lang: Lang, catalog: Catalog, links: Links) -> str:
    others = [catalog.entries[i] for i in entry.related if i in catalog.entries]
    titles = {other.id: title_markdown(other.pages[lang].title) for other in others}
    return "\n".join(f"- {other.id} [{titles[other.id]}]({document_url(other, lang, links)})" for other in others)


def _status(entry: Entry, lang: Lang, words: Words, catalog: Catalog, links: Links) -> str:
    if entry.status == "active":
        return ""
    heir = catalog.entries.get(entry.status.removeprefix("merged-into:"))
    if heir is None:
        return f"> {words['retired']}"
    return "> " + words["merged"].format(title=title_markdown(heir.pages[lang].title), link=document_url(heir, lang, links))


def document_url(entry: Entry, lang: Lang, links: Links) -> str:
    """Address of the document: `index.md` beside the page."""
    return f"{links.page(entry, lang)}index.md"


def plain_document(entry: Entry, lang: Lang, words: Words, catalog: Catalog, links: Links) -> str:
    """The whole entry in one language.

    Args:
        entry: the entry.
        lang: language of the document.
        words: what the site says in that language.
        catalog: where related entries are found.
        links: addresses of pages.
    """
    page = entry.pages[lang]
    why = entry.repro.none or ""
    scripts = [block for name, code in entry.scripts.items() for block in (f"### {name}", code_block(code.rstrip(), "python"))]
    blocks = [
        f"# {page.title}",
        _status(entry, lang, words, catalog, links),
        page.summary,
        _facts(entry, lang, words, links),
        *_messages(entry, words),
        _sections(entry, lang),
        _related(entry, lang, catalog, links),
        f"## {words['proof']}",
        f"{words['proof_none']} {why}" if why else "",
        *scripts,
        f"## {words['sources']}",
        "\n".join(f"- {url}" for url in entry.sources),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"
