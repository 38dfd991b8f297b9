"""Everything MkDocs reads: real Markdown trees per language, out of the catalog and the pages written by hand."""

import html
import json
import shutil
from collections import Counter
from pathlib import Path
from string import Template

from errdex.catalog import Catalog
from errdex.entry import LANGS, Entry, Lang
from errdex.feedback import Feedback
from errdex.handbook import handbook_nav, handbook_values
from errdex.head import head_extra
from errdex.lists import cards, list_nav, list_pages, listing, unlisted
from errdex.lookupbox import LOCAL_SERVER, LOOKUP_ANSWER, Hosting, lookup_box
from errdex.markup import title_markdown
from errdex.neutral import neutral_catalog
from errdex.proof import proof, script_files
from errdex.sheet import entry_page, nav_title
from errdex.shelves import Shelves, report_counts
from errdex.table import table_page
from errdex.words import SiteWords, Words, read_words

_COMMON = 8
_SHARED_SCRIPTS = ("pattern.js", "tokens.js")  # the search box cuts words as the lookup does
_FIRST = 4  # of them stand beside the box


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _common(catalog: Catalog, slugs: list[str]) -> list[Entry]:
    by_slug = {entry.slug: entry for entry in catalog.active}
    return [by_slug[slug] for slug in slugs if slug in by_slug][:_COMMON]


def _unproved(catalog: Catalog, lang: Lang, words: Words) -> str:
    """Every entry that was not executed, grouped by the reason."""
    groups: dict[str, list[str]] = {}
    for entry in catalog.active:
        if entry.checked.run:
            continue
        reason = proof(entry, words).text
        why = f"<br>{html.escape(entry.repro.none, quote=False)}" if entry.repro.none else ""
        line = f"    - [{title_markdown(entry.pages[lang].title)}]({entry.path}.md){why}"
        groups.setdefault(reason, []).append(line)
    blocks = (f'??? note "{reason} ({len(lines)})"\n\n' + "\n".join(lines) for reason, lines in groups.items())
    return "\n\n".join(blocks)


def _counts(catalog: Catalog) -> dict[str, str]:
    """The numbers that the hand-written pages may name."""
    states = Counter(
        "executed"
        if entry.checked.run
        else "unshown"
        if entry.repro.none is not None
        else "waiting"
        if entry.repro.needs
        else "unrun"
        for entry in catalog.active
    )
    kinds = Counter(entry.kind for entry in catalog.active)
    numbers = {name: states[name] for name in ("executed", "unshown", "waiting", "unrun")}
    numbers |= {"total": len(catalog.active), "errors": kinds["error"], "guides": kinds["guide"]}
    return {name: str(number) for name, number in numbers.items()}


def _hand_written(
    catalog: Catalog, shelves: Shelves, lang: Lang, words: SiteWords, sources: Path, hosting: Hosting
) -> dict[str, str]:
    """The pages of `site/pages/<lang>`, their `$names` filled in; a name that is not known here is an error."""
    spoken = words.languages[lang]
    first = _common(catalog, words.common)[:_FIRST]
    values = {
        **_counts(catalog),
        **handbook_values(catalog, lang, spoken, sources.parent),
        "server": hosting.api_url.rstrip("/") or LOCAL_SERVER,
        "lookup_box": lookup_box(lang, spoken, hosting),
        "lookup_answer": LOOKUP_ANSWER,
        "first_common": "\n".join(f"- [{title_markdown(nav_title(entry, lang))}]({entry.path}.md)" for entry in first),
        "areas": cards(shelves.families["area"], spoken, ""),
        "common": listing(_common(catalog, words.common), lang, spoken, ""),
        "unproved": _unproved(catalog, lang, spoken),
    }
    paths = sorted((sources / "pages" / lang).glob("*.md"))
    return {path.name: Template(path.read_text(encoding="utf-8")).substitute(values) for path in paths}


def _config(catalog: Catalog, shelves: Shelves, lang: Lang, words: Words, sources: Path, out: Path, origin: str) -> str:
    """What MkDocs is told about one language; JSON is YAML."""
    areas = [
        {words.areas[area.name]: [f"{area.path}.md", *({nav_title(e, lang): f"{e.path}.md"} for e in area.entries)]}
        for area in shelves.families["area"]
    ]
    retired = [f"/{e.path}.md" for e in catalog if e.status != "active"]
    config = {
        "INHERIT": str(sources / "config" / f"{lang}.yml"),
        "site_url": f"{origin}/{lang}/",
        "site_description": words["tagline"],
        "docs_dir": lang,
        "site_dir": f"../site/{lang}",
        "theme": {"custom_dir": str(sources / "overrides")},
        "extra": head_extra(lang, words, origin),
        "nav": [
            {words["home"]: "index.md"},
            {words["look_up"]: "lookup.md"},
            {words["lists"]: list_nav(shelves, words)},
            *areas,
            handbook_nav(words),
        ],
        "not_in_nav": "\n".join([*retired, *unlisted(shelves)]),
    }
    return json.dumps(config, ensure_ascii=False, indent=2) + "\n"


def stage_site(catalog: Catalog, sources: Path, out: Path, hosting: Hosting) -> None:
    """Write a Markdown tree and a MkDocs configuration for each language.

    Args:
        catalog: the entries.
        sources: the folder `site/` of the checkout.
        out: where `<lang>/` and `<lang>.yml` are written; what stood in `<lang>/` is removed.
        hosting: where the site will stand. Switching the language works only from there.
    """
    sources, out = sources.resolve(), out.resolve()
    site_words = read_words(sources / "strings.toml")
    catalog = neutral_catalog(catalog)
    shelves = Shelves(catalog, report_counts(catalog, sources.parent / "bench"))
    feedback = Feedback(hosting.origin, hosting.contribute_url, hosting.api_url)
    for lang in LANGS:
        words = site_words.languages[lang]
        tree = out / lang
        shutil.rmtree(tree, ignore_errors=True)
        shutil.copytree(sources / "assets", tree / "assets")
        for name in _SHARED_SCRIPTS:
            shutil.copy(sources / "lookup" / name, tree / "assets" / "search")
        pages = _hand_written(catalog, shelves, lang, site_words, sources, hosting)
        pages |= list_pages(shelves, lang, words) | {"all.md": table_page(shelves, lang, words)}
        for name, text in pages.items():
            _write(tree / name, text)
        for entry in catalog:
            page = entry_page(entry, lang, words, catalog, feedback)
            _write(tree / f"{entry.path}.md", page)
            for name, text in script_files(entry).items():
                _write(tree / name, text)
        _write(out / f"{lang}.yml", _config(catalog, shelves, lang, words, sources, out, hosting.origin))
