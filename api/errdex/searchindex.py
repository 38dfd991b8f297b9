"""What the site's search box looks up: per language, the pages to show and an inverted index made beforehand.

A page's texts in all three languages are one document, so a word of any language or script finds it in each edition.
`site/assets/search/` answers from it in the browser; its `words.js` cuts a query as `terms` cuts a text here.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import NamedTuple

from errdex import lexical
from errdex.browser import constants_of, exported
from errdex.catalog import Catalog
from errdex.entry import LANGS, Entry, Lang
from errdex.language import HAN, simplified_characters
from errdex.lexical import K1, B, split_words
from errdex.wording import wordings

_QUALIFIED = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)+", re.ASCII)
_EDGED = re.compile(r"(?<!\w)(?:_+\w*[A-Za-z]\w*|\w*[A-Za-z]\w*_+)(?!\w)", re.ASCII)
_TAG = re.compile(r"<[^>]+>")
_CODE = re.compile(r"<pre>.*?</pre>", re.DOTALL)
_COMMON = 1.15  # an entry met often comes before a rarer one that fits as well
_LEVELS = 26
_LONGEST_TEASER = 240


class Shown(NamedTuple):
    """A page as a result shows it."""

    location: str
    title: str
    text: str


def fold_table(texts: Iterable[str]) -> dict[int, str]:
    """Traditional characters that may be asked for, with their Simplified forms: one character for one.

    A browser has no OpenCC; this table takes its place there, and here, so that both cut the same words.
    """
    used = set("".join(texts))
    return {ord(a): b for a, b in simplified_characters().items() if a in used or b in used}


def terms(text: str) -> list[str]:
    """Words of a text whose Chinese is folded: those of the lookup, `at::Half` whole, `unscale_` without its edge too."""
    return [term for chunk in text.split() for term in _chunk_terms(chunk)]


@lru_cache(maxsize=2**17)  # code repeats itself: three times as fast
def _chunk_terms(chunk: str) -> list[str]:
    whole = [match[0].lower() for match in _QUALIFIED.finditer(chunk)]
    bare = [match[0].lower().strip("_") for match in _EDGED.finditer(chunk)]
    return whole + bare + split_words(chunk)


def _plain(html: str) -> str:
    """Text of the theme's index: no tags, no marks between the words of Chinese."""
    return unescape(_TAG.sub(" ", html.replace("\u200b", "")))


def _pages(site: Path) -> dict[str, list[dict[str, str]]]:
    """Sections of each page that MkDocs indexed, by the page's location."""
    found: dict[str, list[dict[str, str]]] = {}
    for doc in json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]:
        found.setdefault(doc["location"].split("#")[0], []).append(doc)
    return found


class _Field(NamedTuple):
    """A part of a page: how much its words count, how long such a part usually is, and its text."""

    boost: float
    usual_length: int
    text: str


def _names(entry: Entry) -> str:
    aliases = [alias for lang in LANGS for alias in entry.aliases.of(lang)]
    return "\n".join([*entry.exceptions, *entry.products, *aliases])


def _messages(entry: Entry) -> str:
    spoken = [wording.text for wording in wordings(entry)]
    for lang in LANGS:
        spoken += [entry.pages[lang].summary, *(fix.title for fix in entry.pages[lang].fixes)]
    return "\n".join(spoken)


def _translations(editions: list[list[dict[str, str]]]) -> list[dict[str, str]]:
    """The sections of one page in all its languages: code, the same in each, once, and no addresses of sources."""
    first, *others = [[s for s in sections if not s["location"].endswith("#sources")] for sections in editions]
    return first + [s | {"text": _CODE.sub(" ", s["text"])} for sections in others for s in sections]


def _fields(sections: list[dict[str, str]], entry: Entry | None) -> list[_Field]:
    body = _Field(1.0, 900, "\n".join(_plain(f"{section['title']}\n{section['text']}") for section in sections))
    if entry is None:
        return [_Field(2.0, 60, "\n".join(_plain(section["title"]) for section in sections)), body]
    titles = "\n".join([entry.id, entry.slug, *(page.title for page in entry.pages.values())])
    return [_Field(4.0, 40, titles), _Field(2.0, 120, _names(entry)), _Field(1.5, 150, _messages(entry)), body]


def _weights(fields: list[_Field], fold: dict[int, str]) -> dict[str, float]:
    """How much a document says of each word: more for what stands in its names, less for what a long text repeats."""
    found: dict[str, float] = {}
    for field in fields:
        counts = Counter(terms(field.text.translate(fold)))
        norm = K1 * (1 - B + B * sum(counts.values()) / field.usual_length)
        for term, count in counts.items():
            found[term] = found.get(term, 0.0) + field.boost * count * (K1 + 1) / (count + norm)
    return found


def _inverted(documents: list[list[_Field]], priors: list[float], fold: dict[int, str]) -> str:
    """One line per word: the word, then per document a step from the last one and a letter for how much it says."""
    weighted = [_weights(document, fold) for document in documents]
    postings: dict[str, list[tuple[int, float]]] = {}
    for number, weights in enumerate(weighted):
        for term, weight in weights.items():
            postings.setdefault(term, []).append((number, weight))
    impacts: dict[str, list[tuple[int, float]]] = {}
    for term, found in postings.items():
        rarity = math.log1p((len(documents) - len(found) + 0.5) / (len(found) + 0.5))
        impacts[term] = [(number, priors[number] * rarity * weight) for number, weight in found]
    top = max((impact for found in impacts.values() for _, impact in found), default=1.0)
    lines = []
    for term in sorted(impacts):
        cells, last = [], 0
        for number, impact in impacts[term]:
            cells.append(f"{number - last}{chr(65 + min(_LEVELS - 1, int(impact / top * _LEVELS)))}")
            last = number
        lines.append(f"{term} {''.join(cells)}")
    return "\n".join(lines)


def _shown(location: str, sections: list[dict[str, str]], entry: Entry | None, lang: Lang) -> Shown:
    if entry is not None:
        return Shown(location, entry.pages[lang].title, entry.pages[lang].summary)
    text = " ".join(_plain(sections[0]["text"]).split())
    return Shown(location, _plain(sections[0]["title"]), text[:_LONGEST_TEASER])


def write_search(catalog: Catalog, common: Iterable[str], sites: Mapping[Lang, Path]) -> None:
    """Replace what MkDocs wrote for the search by an index that needs no building in the browser.

    Args:
        catalog: the entries; their names and messages count for more than other words.
        common: slugs of the entries met most often.
        sites: the built folder of each language.
    """
    entries = {f"{entry.path}/": entry for entry in catalog}
    built = {lang: _pages(folder) for lang, folder in sites.items()}
    often = set(common)
    locations = sorted(set().union(*built.values()))
    documents, priors = [], []
    for location in locations:
        entry = entries.get(location)
        sections = _translations([pages[location] for pages in built.values() if location in pages])
        documents.append(_fields(sections, entry))
        priors.append(_COMMON if entry and entry.slug in often else float(sections[0].get("boost", 1.0)))
    table = fold_table(field.text for fields in documents for field in fields)
    index = {
        "terms": _inverted(documents, priors, table),
        "fold": ["".join(map(chr, table)), "".join(table.values())],
        "words": {**constants_of(lexical), "HAN": exported(HAN), "QUALIFIED": exported(_QUALIFIED), "EDGED": exported(_EDGED)},
    }
    for lang, folder in sites.items():
        path = folder / "search" / "search_index.json"
        stored = json.loads(path.read_text(encoding="utf-8"))
        pages = built[lang]
        shown = [_shown(at, pages[at], entries.get(at), lang) if at in pages else None for at in locations]
        stored["config"]["index"] = index | {"numbers": [n for n, page in enumerate(shown) if page]}
        stored["docs"] = [page._asdict() for page in shown if page]
        path.write_text(json.dumps(stored, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
