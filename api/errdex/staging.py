"""Everything MkDocs reads: real Markdown trees per language, out of the catalog and the pages written by hand."""

import html
import json
import shutil
from collections import Counter
from pathlib import Path
from string import Template

from errdex.catalog import Catalog
from errdex.chinese import write_dictionary
from errdex.entry import AREAS, LANGS, Entry, Lang
from errdex.handbook import handbook_nav, handbook_values
from errdex.head import head_extra
from errdex.lookupbox import LOCAL_SERVER, LOOKUP_ANSWER, Hosting, lookup_box
from errdex.sheet import entry_page, nav_title, proof, title_markdown
from errdex.words import SiteWords, Words, read_words

_COMMON = 8
_FIRST = 4  # of them stand beside the box


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _by_area(catalog: Catalog) -> dict[str, list[Entry]]:
    """Active entries per area, in the order of the areas; areas without any are left out."""
    shelves = {area: [e for e in catalog.active if e.area == area] for area in AREAS}
    return {area: entries for area, entries in shelves.items() if entries}


def _listing(entries: list[Entry], lang: Lang, words: Words, up: str) -> str:
    """Titles with summaries; `up` leads from the page to the folder of its language."""
    items = []
    for entry in entries:
        page = entry.pages[lang]
        summary = page.summary.replace("\n", " ")
        mark = f' <span class="ex-kind">{words["guide"]}</span>' if entry.kind == "guide" else ""
        items.append(f"- [{title_markdown(page.title)}]({up}{entry.path}.md){mark}\n\n    {summary}")
    return '<div class="ex-list" markdown="1">\n\n' + "\n\n".join(items) + "\n\n</div>"


def _area_page(area: str, entries: list[Entry], lang: Lang, words: Words) -> str:
    """The page of one area; left out of the search, which finds the entries themselves."""
    blocks = [
        "---\nsearch: {exclude: true}\n---",
        f"# {words.areas[area]}",
        f"{words.entries(len(entries))}\n{{ .ex-count }}",
        _listing(entries, lang, words, "../"),
    ]
    return "\n\n".join(blocks) + "\n"


def _area_cards(shelves: dict[str, list[Entry]], words: Words) -> str:
    items = (f"- [{words.areas[area]}]({area}/index.md) {len(entries)}" for area, entries in shelves.items())
    return '<div class="ex-areas" markdown="1">\n\n' + "\n".join(items) + "\n\n</div>"


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


def _hand_written(catalog: Catalog, lang: Lang, words: SiteWords, sources: Path, hosting: Hosting) -> dict[str, str]:
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
        "areas": _area_cards(_by_area(catalog), spoken),
        "common": _listing(_common(catalog, words.common), lang, spoken, ""),
        "unproved": _unproved(catalog, lang, spoken),
    }
    paths = sorted((sources / "pages" / lang).glob("*.md"))
    return {path.name: Template(path.read_text(encoding="utf-8")).substitute(values) for path in paths}


def _config(catalog: Catalog, lang: Lang, words: Words, sources: Path, out: Path, origin: str) -> str:
    """What MkDocs is told about one language; JSON is YAML."""
    shelves = _by_area(catalog)
    areas = [
        {words.areas[area]: [f"{area}/index.md", *({nav_title(e, lang): f"{e.path}.md"} for e in entries)]}
        for area, entries in shelves.items()
    ]
    config = {
        "INHERIT": str(sources / "config" / f"{lang}.yml"),
        "site_url": f"{origin}/{lang}/",
        "site_description": words["tagline"],
        "docs_dir": lang,
        "site_dir": f"../site/{lang}",
        "theme": {"custom_dir": str(sources / "overrides")},
        "extra": head_extra(lang, words, origin),
        "plugins": {"search": {"jieba_dict": str(write_dictionary(out))}},
        "nav": [{words["home"]: "index.md"}, {words["look_up"]: "lookup.md"}, *areas, handbook_nav(words)],
        "not_in_nav": "\n".join(f"/{e.path}.md" for e in catalog if e.status != "active"),
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
    for lang in LANGS:
        words = site_words.languages[lang]
        tree = out / lang
        shutil.rmtree(tree, ignore_errors=True)
        shutil.copytree(sources / "assets", tree / "assets")
        for name, text in _hand_written(catalog, lang, site_words, sources, hosting).items():
            _write(tree / name, text)
        for area, entries in _by_area(catalog).items():
            _write(tree / area / "index.md", _area_page(area, entries, lang, words))
        for entry in catalog:
            page = entry_page(entry, lang, words, catalog, common=entry.slug in site_words.common)
            _write(tree / f"{entry.path}.md", page)
        _write(out / f"{lang}.yml", _config(catalog, lang, words, sources, out, hosting.origin))
