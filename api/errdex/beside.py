"""What stands beside the pages of one language: each entry as data, as Markdown and as a card; the feed and `llms.txt`."""

from pathlib import Path

from errdex.cards import Card, can_write, draw_card, entry_card, home_card
from errdex.catalog import Catalog
from errdex.entry import Entry, Lang
from errdex.feed import feed_text
from errdex.links import Links
from errdex.llms import llms_text
from errdex.plain import plain_document
from errdex.record import entry_record
from errdex.words import SiteWords


def card_language(lang: Lang) -> Lang:
    """The language that cards are drawn in: English where no font for the page's own is installed."""
    return lang if can_write(lang) else "en"


def _card(entry: Entry | None, lang: Lang, words: SiteWords) -> bytes:
    drawn = card_language(lang)
    spoken = words.languages[drawn]
    card: Card = entry_card(entry, drawn, spoken) if entry else home_card(spoken)
    return draw_card(card, drawn)


def write_beside(catalog: Catalog, lang: Lang, words: SiteWords, site: Path, origin: str) -> None:
    """Write the files beside the pages.

    Args:
        catalog: the entries.
        lang: the language.
        words: what the site says.
        site: the built site of that language.
        origin: where it will be served from, without a path.
    """
    links = Links(origin)
    for entry in catalog:
        folder = site / entry.path
        (folder / "entry.json").write_text(entry_record(entry, lang, links).model_dump_json(), encoding="utf-8")
        document = plain_document(entry, lang, words.languages[lang], catalog, links)
        (folder / "index.md").write_text(document, encoding="utf-8")
        (folder / "card.png").write_bytes(_card(entry, lang, words))
    (site / "card.png").write_bytes(_card(None, lang, words))
    (site / "feed.xml").write_text(feed_text(catalog, lang, words.languages[lang], links), encoding="utf-8")
    (site / "llms.txt").write_text(llms_text(catalog, lang, words, links), encoding="utf-8")
