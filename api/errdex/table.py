"""The table of all entries, which `assets/table.js` filters in the browser; without JavaScript it stands there whole."""

import html
import json

from errdex.entry import Entry, Lang
from errdex.markup import quoted, title_markdown
from errdex.neighbours import first_line, guide_mark, link
from errdex.proof import proof
from errdex.shelves import Shelves
from errdex.words import Words

_COLUMNS = ("entry", "area", "library", "proof", "reports")


def _options(names: dict[str, str]) -> str:
    return "".join(f'<option value="{html.escape(value)}">{html.escape(text)}</option>' for value, text in names.items())


def _select(key: str, choices: dict[str, str], words: Words) -> str:
    every = {"": words["filter_any"]}
    return f'<label>{html.escape(words[f"filter_{key}"])}<select data-filter="{key}">{_options(every | choices)}</select></label>'


def _filter(shelves: Shelves, words: Words) -> str:
    """The form above the table, hidden until the script that serves it runs."""
    choices = {
        "area": {shelf.name: words.areas[shelf.name] for shelf in shelves.families["area"]},
        "library": {shelf.name: shelf.name for shelf in shelves.families["library"]},
        "kind": {kind: words[f"kind_{kind}"] for kind in ("error", "guide")},
        "proof": {state: words[f"state_{state}"] for state in ("ok", "wait", "none")},
    }
    selects = "".join(_select(key, names, words) for key, names in choices.items())
    total = len(shelves.entries)
    shown = words["filter_shown"].format(shown=total, total=total)
    said = html.escape(words["filter_shown"].replace("{total}", str(total)))
    return (
        '<form class="ex-filter" data-table-filter hidden>'
        f'<label class="ex-filter-text">{html.escape(words["filter_text"])}'
        f'<input type="search" data-filter="text" autocomplete="off" spellcheck="false"></label>{selects}'
        f'<button type="reset" class="md-button">{html.escape(words["filter_reset"])}</button>'
        f'<output data-shown="{said}" aria-live="polite">{html.escape(shown)}</output></form>'
    )


def _found_by(entry: Entry) -> str:
    """What the text filter looks through besides the row itself: every edition finds an entry by its English words, too."""
    title = entry.pages["en"].title.replace("`", "")
    return " ".join([entry.id, entry.slug, title, first_line(entry), *entry.exceptions]).lower()


def _row(entry: Entry, shelves: Shelves, lang: Lang, words: Words) -> str:
    state, text = proof(entry, words)
    libraries = words["separator"].join(title_markdown(name) for name in entry.products)
    cells = {
        "entry": f"{link(entry, lang, '')}{guide_mark(entry, words)}",
        "area": words.areas[entry.area],
        "library": libraries,
        "proof": f'<span class="ex-state ex-{state}">{html.escape(text, quote=False)}</span>',
        "reports": str(shelves.reports[entry.id]),
    }
    data = {
        "area": entry.area,
        "library": json.dumps(entry.products),
        "kind": entry.kind,
        "proof": state,
        "text": _found_by(entry),
    }
    attributes = " ".join(f'data-{key}="{html.escape(value)}"' for key, value in data.items())
    names = {key: html.escape(words[f"column_{key}"]) for key in _COLUMNS}
    row = "".join(f'<td data-column="{names[key]}" markdown="span">{cells[key]}</td>' for key in _COLUMNS)
    return f'<tr {attributes} markdown="1">{row}</tr>'


def table_page(shelves: Shelves, lang: Lang, words: Words) -> str:
    """The Markdown of the table, the most reported entries first; `all.md`."""
    head = "".join(f'<th scope="col">{html.escape(words[f"column_{key}"])}</th>' for key in _COLUMNS)
    body = "\n".join(_row(entry, shelves, lang, words) for entry in shelves.entries)
    title = words["all_entries"]
    blocks = [
        f"---\ntitle: {quoted(title)}\nhide: [toc]\nsearch: {{exclude: true}}\n---",
        f"# {title}",
        words["about_all"],
        _filter(shelves, words),
        f'<table class="ex-table" markdown="1">\n<thead><tr>{head}</tr></thead>\n<tbody markdown="1">\n{body}\n</tbody></table>',
    ]
    return "\n\n".join(blocks) + "\n"
