"""Everything MkDocs reads: real Markdown trees per language, out of the catalog and the pages written by hand."""

import html
import json
import shutil
from collections import Counter
from pathlib import Path
from string import Template

from errdex.catalog import Catalog
from errdex.entry import AREAS, LANGS, Entry, Lang
from errdex.neutral import neutral_catalog
from errdex.sheet import entry_page, nav_title, proof, title_markdown
from errdex.words import SiteWords, Words, read_words

_COMMON = 8


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


def _lookup_form(lang: Lang, words: Words) -> str:
    """The box that `assets/lookup.js` brings to life; its words travel in a data attribute."""
    spoken = {key.removeprefix("lookup_"): text for key, text in words.ui.items() if key.startswith("lookup_")}
    say = {key: html.escape(text) for key, text in spoken.items()}
    placeholder = say["placeholder"].replace("\n", "&#10;")
    return (
        f'<form class="ex-lookup" data-lookup data-lang="{lang}" data-search-exclude="true"'
        f' data-words="{html.escape(json.dumps(spoken, ensure_ascii=False))}">'
        f'<label for="ex-log">{say["label"]}</label>'
        f'<textarea id="ex-log" rows="6" required spellcheck="false" placeholder="{placeholder}"></textarea>'
        f'<div class="ex-actions"><button type="submit" class="md-button md-button--primary">{say["button"]}</button>'
        f'<button type="button" class="md-button" data-open-search>{say["search"]}</button></div>'
        f'<p class="ex-note">{say["private"]}</p><noscript><p class="ex-note">{say["noscript"]}</p></noscript>'
        '</form>\n\n<section class="ex-answers" data-lookup-answer aria-live="polite"></section>'
    )


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


def _hand_written(catalog: Catalog, lang: Lang, words: SiteWords, sources: Path, origin: str) -> dict[str, str]:
    """The pages of `site/pages/<lang>`, their `$names` filled in; a name that is not known here is an error."""
    spoken = words.languages[lang]
    values = _counts(catalog) | {
        "origin": origin,
        "lookup_form": _lookup_form(lang, spoken),
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
        {words.areas[area]: [f"{area}/index.md", *({html.escape(nav_title(e, lang)): f"{e.path}.md"} for e in entries)]}
        for area, entries in shelves.items()
    ]
    config = {
        "INHERIT": str(sources / "config" / f"{lang}.yml"),
        "site_url": f"{origin}/{lang}/",
        "docs_dir": lang,
        "site_dir": f"../site/{lang}",
        "theme": {"custom_dir": str(sources / "overrides")},
        "nav": [{words["home"]: "index.md"}, *areas, {words["about"]: "about.md"}],
        "not_in_nav": "\n".join(f"/{e.path}.md" for e in catalog if e.status != "active"),
    }
    return json.dumps(config, ensure_ascii=False, indent=2) + "\n"


def stage_site(catalog: Catalog, sources: Path, out: Path, site_url: str) -> None:
    """Write a Markdown tree and a MkDocs configuration for each language.

    Args:
        catalog: the entries.
        sources: the folder `site/` of the checkout.
        out: where `<lang>/` and `<lang>.yml` are written; what stood in `<lang>/` is removed.
        site_url: origin that the site is served from, without a path. Switching the language works only from there.
    """
    sources, out, origin = sources.resolve(), out.resolve(), site_url.rstrip("/")
    site_words = read_words(sources / "strings.toml")
    catalog = neutral_catalog(catalog)
    for lang in LANGS:
        words = site_words.languages[lang]
        tree = out / lang
        shutil.rmtree(tree, ignore_errors=True)
        shutil.copytree(sources / "assets", tree / "assets")
        for name, text in _hand_written(catalog, lang, site_words, sources, origin).items():
            _write(tree / name, text)
        for area, entries in _by_area(catalog).items():
            _write(tree / area / "index.md", _area_page(area, entries, lang, words))
        for entry in catalog:
            page = entry_page(entry, lang, words, catalog)
            _write(tree / f"{entry.path}.md", page)
        _write(out / f"{lang}.yml", _config(catalog, lang, words, sources, out, origin))
