"""Everything MkDocs reads: real Markdown trees per language, out of the catalog and the pages written by hand."""

import html
import json
import shutil
from collections import Counter
from pathlib import Path
from string import Template

from errdex.catalog import Catalog
from errdex.chinese import write_dictionary
from errdex.entry import LANGS, Entry, Lang
from errdex.feedback import Feedback
from errdex.lists import cards, list_nav, list_pages, listing, unlisted
from errdex.markup import title_markdown
from errdex.proof import proof, script_files
from errdex.sheet import entry_page, nav_title
from errdex.shelves import Shelves, report_counts
from errdex.table import table_page
from errdex.words import SiteWords, Words, read_words

_COMMON = 8


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


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


def _hand_written(catalog: Catalog, shelves: Shelves, lang: Lang, words: SiteWords, sources: Path, origin: str) -> dict[str, str]:
    """The pages of `site/pages/<lang>`, their `$names` filled in; a name that is not known here is an error."""
    spoken = words.languages[lang]
    values = _counts(catalog) | {
        "origin": origin,
        "lookup_form": _lookup_form(lang, spoken),
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
    end = [{words["about"]: "about.md"}, {words["contribute"]: "contribute.md"}]
    config = {
        "INHERIT": str(sources / "config" / f"{lang}.yml"),
        "site_url": f"{origin}/{lang}/",
        "docs_dir": lang,
        "site_dir": f"../site/{lang}",
        "theme": {"custom_dir": str(sources / "overrides")},
        "plugins": {"search": {"jieba_dict": str(write_dictionary(out))}},
        "nav": [{words["home"]: "index.md"}, {words["lists"]: list_nav(shelves, words)}, *areas, *end],
        "not_in_nav": "\n".join([*retired, *unlisted(shelves)]),
    }
    return json.dumps(config, ensure_ascii=False, indent=2) + "\n"


def stage_site(catalog: Catalog, sources: Path, out: Path, site_url: str, contribute_url: str = "") -> None:
    """Write a Markdown tree and a MkDocs configuration for each language.

    Args:
        catalog: the entries.
        sources: the folder `site/` of the checkout.
        out: where `<lang>/` and `<lang>.yml` are written; what stood in `<lang>/` is removed.
        site_url: origin that the site is served from, without a path. Switching the language works only from there.
        contribute_url: form for reports on an entry; `{title}` and `{body}` are filled in. Empty: the page on contributing.
    """
    sources, out, origin = sources.resolve(), out.resolve(), site_url.rstrip("/")
    site_words = read_words(sources / "strings.toml")
    shelves = Shelves(catalog, report_counts(catalog, sources.parent / "bench"))
    feedback = Feedback(origin, contribute_url)
    for lang in LANGS:
        words = site_words.languages[lang]
        tree = out / lang
        shutil.rmtree(tree, ignore_errors=True)
        shutil.copytree(sources / "assets", tree / "assets")
        for name, text in _hand_written(catalog, shelves, lang, site_words, sources, origin).items():
            _write(tree / name, text)
        lists = list_pages(shelves, lang, words) | {"all.md": table_page(shelves, lang, words)}
        for name, text in lists.items():
            _write(tree / name, text)
        for entry in catalog:
            page = entry_page(entry, lang, words, catalog, common=entry.slug in site_words.common, feedback=feedback)
            _write(tree / f"{entry.path}.md", page)
            for name, text in script_files(entry).items():
                _write(tree / name, text)
        _write(out / f"{lang}.yml", _config(catalog, shelves, lang, words, sources, out, origin))
