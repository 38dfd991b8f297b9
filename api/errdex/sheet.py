"""An entry as the site shows it: its page with everything around it that comes from data."""

import html
from collections.abc import Iterable
from math import ceil

from errdex.catalog import Catalog
from errdex.entry import Entry, Lang
from errdex.feedback import Feedback
from errdex.markup import UNSEARCHED, block, fenced, folded, plain_title, quoted, title_markdown
from errdex.neighbours import neighbours_section
from errdex.page import SECTION_IDS
from errdex.proof import last_run, proof, proof_section
from errdex.stamp import stale_translations
from errdex.wording import Wording, versions_text, wordings
from errdex.words import LANGUAGE_NAMES, Words

# As many wordings, and as many lines of this width, as leave the first fix on a laptop's screen.
_UNFOLDED = 3
_UNFOLDED_LINES = 7
_LINE = 74


def _links(names: Iterable[str], family: str) -> str:
    """Names, each a link to the list of the entries that share it."""
    return " · ".join(f"[{title_markdown(name)}](../{family}/{name}.md)" for name in names)


def _translations(entry: Entry, words: Words) -> str:
    stale = stale_translations(entry)
    if not stale:
        return words["translations_fresh"]
    return words["translations_behind"].format(languages=words["separator"].join(LANGUAGE_NAMES[lang] for lang in stale))


def _facts(entry: Entry, words: Words) -> str:
    """What is known of the entry in a few words; a retired one stands on no list, so its names are no links."""
    state, text = proof(entry, words)
    listed = entry.status == "active"
    exceptions = _links(entry.exceptions, "exception") if listed else title_markdown(" · ".join(entry.exceptions))
    products = _links(entry.products, "library") if listed else title_markdown(" · ".join(entry.products))
    rows = [
        (words["proof"], html.escape(text, quote=False), f"ex-{state}"),
        (words["fact_run"], last_run(entry), ""),
        (words["fact_exception"], exceptions, "ex-code"),
        (words["fact_products"], products, ""),
        (words["fact_versions"], versions_text(entry.versions).replace("<", "&lt;"), ""),
        (words["fact_translations"], _translations(entry, words), "ex-wait" if stale_translations(entry) else ""),
        (words["fact_id"], entry.id, "ex-code"),
    ]
    cells = "\n".join(
        f'<div class="{css}" markdown="1"><dt>{html.escape(name)}</dt><dd markdown="span">{value}</dd></div>'
        for name, value, css in rows
        if value
    )
    return f'<dl class="ex-facts"{UNSEARCHED} markdown="1">\n{cells}\n</dl>'


def _wording(wording: Wording, entry: Entry, words: Words) -> str:
    """One wording, and the versions in which it is met."""
    versions = versions_text(wording.versions or entry.versions) or words["every_version"]
    note = versions if wording.seen else f"{versions} · {words['pattern']}"
    caption = f"{html.escape(note, quote=False)}\n{{ .ex-note{UNSEARCHED} }}"
    return block("ex-wording", f"{fenced(wording.text, '.text .ex-message')}\n\n{caption}")


def _messages(entry: Entry, words: Words) -> list[str]:
    """Every wording: the first in full, the others folded away where they are many or long."""
    found = wordings(entry)
    shown = [_wording(wording, entry, words) for wording in found]
    lines = sum(ceil(len(line) / _LINE) for wording in found for line in wording.text.splitlines())
    if len(shown) < 2 or (len(shown) <= _UNFOLDED and lines <= _UNFOLDED_LINES):
        return shown
    others = "\n\n".join(shown[1:])
    return [shown[0], folded("quote", words["wordings"].format(count=len(shown) - 1), others)]


def _notes(entry: Entry, lang: Lang, words: Words, catalog: Catalog) -> list[str]:
    """What a reader must know first: that the entry no longer answers lookups, that this translation is behind."""
    notes = []
    if entry.status != "active":
        heir = catalog.entries.get(entry.status.removeprefix("merged-into:"))
        notes.append(
            words["merged"].format(title=title_markdown(heir.pages[lang].title), link=f"../{heir.path}.md")
            if heir
            else words["retired"]
        )
    if lang in stale_translations(entry):
        notes.append(words["behind_note"])
    return [f"!!! warning\n\n    {note}" for note in notes]


def _anchored(entry: Entry, lang: Lang) -> tuple[dict[str, list[str]], list[tuple[str, str]]]:
    """The page's sections with an anchor on every heading, the same in each language, and the anchors of the fixes."""
    page = entry.pages[lang]
    lines = page.source.splitlines()
    fixes: list[tuple[str, str]] = []
    starts: list[tuple[int, str]] = []
    section, count = "", 0
    for heading in page.headings:
        if heading.level == 2:
            section, count = heading.anchor or "", 0
            starts.append((heading.line - 1, section))
        elif heading.level == 3 and heading.anchor is None:
            count += 1
            anchor = f"{section}-{count}"
            lines[heading.line - 1] = f"### {heading.text} {{ #{anchor} }}"
            if section == "fix":
                fixes.append((heading.text, anchor))
    ends = [start for start, _ in starts[1:]] + [len(lines)]
    return {name: lines[start:end] for (start, name), end in zip(starts, ends, strict=True)}, fixes


def _answer(entry: Entry, lang: Lang, words: Words, fixes: list[tuple[str, str]]) -> str:
    label = words["steps" if entry.kind == "guide" else "fixes"]
    jumps = "\n".join(f"- [{title}](#{anchor})" for title, anchor in fixes)
    listed = f'\n\n<p class="ex-label"{UNSEARCHED}>{label}</p>\n\n{jumps}' if fixes else ""
    return block("ex-answer", f"{entry.pages[lang].summary}{listed}")


def _sources(entry: Entry, words: Words) -> list[str]:
    links = "\n".join(f"- <{url}>" for url in entry.sources)
    return [f"## {words['sources']} {{ #sources }}", links]


def nav_title(entry: Entry, lang: Lang) -> str:
    """The title for narrow places: without the translation in full-width brackets."""
    title = entry.pages[lang].title
    return plain_title(title.split("（")[0].strip() or title)


def entry_page(entry: Entry, lang: Lang, words: Words, catalog: Catalog, feedback: Feedback | None = None) -> str:
    """The Markdown of one entry's page.

    Args:
        entry: the entry.
        lang: language of the page.
        words: what the site says in that language.
        catalog: where related entries are found.
        feedback: where readers report that it is wrong; by default the site's own page on contributing.
    """
    page = entry.pages[lang]
    sections, fixes = _anchored(entry, lang)
    description = page.summary.replace("*", "").replace("\n", " ")
    blocks = [
        f"---\ntitle: {quoted(page.title)}\ndescription: {quoted(description)}\nentry: {entry.id}\n---",
        f"# {title_markdown(page.title)}",
        *_notes(entry, lang, words, catalog),
        *_messages(entry, words),
        _answer(entry, lang, words, fixes),
        _facts(entry, words),
        *("\n".join(lines) for name, lines in sections.items() if name != SECTION_IDS[-1]),
        *proof_section(entry, words),
        *neighbours_section(entry, lang, words, catalog, sections.get(SECTION_IDS[-1], [])),
        *_sources(entry, words),
        *(feedback or Feedback()).section(entry, lang, words),
    ]
    return "\n\n".join(part for part in blocks if part) + "\n"
