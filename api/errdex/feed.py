"""The feed of new entries, one per language, as Atom."""

import html
from datetime import UTC, datetime, time

from feedgenerator import Atom1Feed  # type: ignore[import-untyped]  # it ships no types

from errdex.catalog import Catalog
from errdex.entry import Lang
from errdex.links import Links
from errdex.words import Words

_LATEST = 30


def feed_text(catalog: Catalog, lang: Lang, words: Words, links: Links) -> str:
    """The entries that came in last, newest first.

    Args:
        catalog: the entries; those without a date are left out.
        lang: language of the feed.
        words: what the site says in that language.
        links: addresses of pages.
    """
    origin = links.base_url.rstrip("/")
    feed = Atom1Feed(
        title=f"errdex · {words['feed']}",
        link=f"{origin}/{lang}/",
        description=None,
        subtitle=words["tagline"],
        language=lang,
        author_name="errdex",
        feed_url=f"{origin}/{lang}/feed.xml",
        feed_guid=f"{origin}/{lang}/feed.xml",
    )
    dated = [(entry.added, entry) for entry in catalog.active if entry.added]
    for added, entry in sorted(dated, key=lambda pair: (-pair[0].toordinal(), pair[1].id))[:_LATEST]:
        page, day = entry.pages[lang], datetime.combine(added, time(), UTC)
        feed.add_item(
            title=page.title.replace("`", ""),
            link=links.page(entry, lang),
            # The library declares it HTML.
            description=html.escape(page.summary.replace("`", "").replace("**", "")),
            unique_id=f"{origin}/e/{entry.id}/",
            pubdate=day,
            updateddate=day,
            categories=[words.areas[entry.area]],
        )
    text: str = feed.writeString("utf-8")
    return text
