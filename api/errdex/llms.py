"""`llms.txt`: the site's contents for language models, as https://llmstxt.org/ describes it."""

from errdex.catalog import Catalog
from errdex.entry import AREAS, LANGS, Lang
from errdex.links import Links
from errdex.markup import title_markdown
from errdex.plain import document_url
from errdex.words import SiteWords


def llms_text(catalog: Catalog, lang: Lang, words: SiteWords, links: Links) -> str:
    """All active entries by area, each with its summary and a link to its Markdown.

    Args:
        catalog: the entries.
        lang: language of the file.
        words: what the site says.
        links: addresses of pages.
    """
    spoken, origin = words.languages[lang], links.base_url.rstrip("/")
    blocks = ["# errdex", f"> {spoken['tagline']}", spoken["llms_intro"].format(origin=origin)]
    for area in AREAS:
        lines = [
            f"- [{title_markdown(page.title)}]({document_url(entry, lang, links)}): {' '.join(page.summary.split())}"
            for entry, page in ((entry, entry.pages[lang]) for entry in catalog.active)
            if entry.area == area
        ]
        if lines:
            blocks += [f"## {spoken.areas[area]}", "\n".join(lines)]
    others = [f"- [{other}]({origin}/{other}/llms.txt): {words.languages[other]['tagline']}" for other in LANGS if other != lang]
    blocks += [f"## {spoken['llms_editions']}", "\n".join(others)]
    return "\n\n".join(blocks) + "\n"
