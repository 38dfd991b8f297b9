"""Addresses that belong to no language: the root, `/e/<ID>/`, the page for what is missing, and the map for crawlers.

Plain pages that work on any static host, and without JavaScript.
"""

import html
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import NamedTuple
from xml.etree import ElementTree as ET

from errdex.catalog import Catalog
from errdex.entry import LANGS, Entry, Lang
from errdex.links import Links
from errdex.words import LANGUAGE_NAMES, SiteWords

_SCRIPT = '<script src="/language.js" defer></script>'
_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"


class _Sign(NamedTuple):
    """A link of such a page: where it leads and what it says."""

    path: str
    text: str


def _door(template: Template, title: str, heading: str, description: str, head: list[str], signs: Mapping[Lang, _Sign]) -> str:
    """A page with one link per language."""
    links = (
        f'<li><a href="{html.escape(sign.path)}" lang="{lang}" hreflang="{lang}">{html.escape(sign.text)}</a></li>'
        for lang, sign in signs.items()
    )
    return template.substitute(
        title=html.escape(title),
        heading=html.escape(heading),
        description=html.escape(description),
        head="\n    ".join(head),
        links="\n        ".join(links),
    )


def _alternates(addresses: Mapping[Lang, str]) -> list[str]:
    """What tells search engines which page is meant in which language; English where the reader's is none of them."""
    named = [*addresses.items(), ("x-default", addresses["en"])]
    return [f'<link rel="alternate" hreflang="{lang}" href="{html.escape(address)}">' for lang, address in named]


def _root(template: Template, words: SiteWords, origin: str) -> str:
    head = [
        f'<link rel="canonical" href="{html.escape(origin)}/">',
        *_alternates({lang: f"{origin}/{lang}/" for lang in LANGS}),
        _SCRIPT,
    ]
    signs = {lang: _Sign(f"/{lang}/", LANGUAGE_NAMES[lang]) for lang in LANGS}
    return _door(template, "errdex", "errdex", words.languages["en"]["tagline"], head, signs)


def _permanent(template: Template, entry: Entry, links: Links) -> str:
    """The page at `/e/<ID>/`: on to the entry's own page, which says where one went that was merged."""
    addresses = {lang: links.page(entry, lang) for lang in LANGS}
    head = [f'<link rel="canonical" href="{html.escape(addresses["en"])}">', *_alternates(addresses), _SCRIPT]
    titles = {lang: page.title.replace("`", "") for lang, page in entry.pages.items()}
    signs = {lang: _Sign(f"/{lang}/{entry.path}/", titles[lang] if lang != "en" else LANGUAGE_NAMES[lang]) for lang in LANGS}
    title = f"{entry.id}: {titles['en']}"
    return _door(template, f"{title} - errdex", title, " ".join(entry.pages["en"].summary.split()), head, signs)


def _missing(template: Template, words: SiteWords) -> str:
    """The page for an address that is none; a host may show it anywhere, so it says so in each language."""
    spoken = words.languages
    signs = {lang: _Sign(f"/{lang}/", f"{spoken[lang]['missing_title']} · {spoken[lang]['missing_home']}") for lang in LANGS}
    head = ['<meta name="robots" content="noindex">']
    return _door(template, "404 - errdex", "404", spoken["en"]["missing_title"], head, signs)


def _sitemap(origin: str) -> str:
    """The index of the sitemaps that MkDocs writes, one per language."""
    index = ET.Element("sitemapindex", xmlns=_SITEMAP)
    for lang in LANGS:
        ET.SubElement(ET.SubElement(index, "sitemap"), "loc").text = f"{origin}/{lang}/sitemap.xml"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(index, encoding="unicode")}\n'


def write_signposts(catalog: Catalog, words: SiteWords, sources: Path, site: Path, origin: str) -> None:
    """Write everything that stands above the three languages.

    Args:
        catalog: the entries; retired and merged ones keep their address.
        words: what the site says.
        sources: the folder `site/` of the checkout.
        site: the built site.
        origin: where it will be served from, without a path.
    """
    template = Template((sources / "door.html").read_text(encoding="utf-8"))
    links, base = Links(origin), origin.rstrip("/")
    pages = {
        "index.html": _root(template, words, base),
        "404.html": _missing(template, words),
        "sitemap.xml": _sitemap(base),
        "robots.txt": f"User-agent: *\nAllow: /\n\nSitemap: {base}/sitemap.xml\n",
        "llms.txt": (site / "en" / "llms.txt").read_text(encoding="utf-8"),
        **{f"e/{entry.id}/index.html": _permanent(template, entry, links) for entry in catalog},
    }
    for name, text in pages.items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
