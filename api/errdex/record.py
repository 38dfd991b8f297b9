"""An entry as data: what `GET /entries/{id}` answers, and what stands as `entry.json` beside its page."""

from errdex.entry import Entry, Lang
from errdex.links import Links
from errdex.lookup import verified
from errdex.models import EntryOut, EntrySummary, FixOut


def entry_summary(entry: Entry, lang: Lang, links: Links) -> EntrySummary:
    """The entry in one line."""
    return EntrySummary(
        id=entry.id,
        slug=entry.slug,
        title=entry.pages[lang].title,
        kind=entry.kind,
        area=entry.area,
        url=links.page(entry, lang),
    )


def entry_record(entry: Entry, lang: Lang, links: Links) -> EntryOut:
    """The whole entry in one language."""
    page = entry.pages[lang]
    return EntryOut(
        **entry_summary(entry, lang, links).model_dump(),
        lang=lang,
        status=entry.status,
        summary=page.summary,
        products=entry.products,
        versions=entry.versions,
        related=entry.related,
        sources=entry.sources,
        patterns=[signature.pattern for signature in entry.signature],
        fixes=[FixOut(title=fix.title, markdown=fix.markdown, code=fix.code) for fix in page.fixes],
        markdown=page.source,
        scripts=entry.scripts,
        verified=verified(entry),
    )
