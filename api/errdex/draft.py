"""The beginning of an entry, out of a log that errdex could not answer; `errdex check` lists what is still to be written."""

import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import tomlkit
from tomlkit.items import AoT, String

from errdex.catalog import PACKAGE, read_entries
from errdex.checks import HEADINGS
from errdex.entry import AREAS, LANGS
from errdex.errors import InputError
from errdex.page import SECTION_IDS
from errdex.redact import redact
from errdex.report import read_report

_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")
_SHORTEST_PATTERN = 8
_SPECIAL = re.compile(r"[\\^$.|?*+()\[\]{}]")


def _next_id(area: str, taken: Sequence[str]) -> str:
    """The id after the last of its area; gaps stay, for an id is never used twice."""
    last = max((int(entry_id[3:]) for entry_id in taken if entry_id.startswith(area.upper())), default=0)
    return f"{area.upper()}{last + 1:03d}"


def first_pattern(message: str) -> str:
    """A pattern that the message matches: its words as they stand, every number opened up."""
    return re.sub(r"\d+", lambda _: r"\d+", _SPECIAL.sub(r"\\\g<0>", message))


def _literal(text: str) -> String:
    """A TOML string in which a backslash is a backslash."""
    return tomlkit.string(text, literal=True, multiline="'" in text)


def _entry_toml(
    entry_id: str,
    added: date,
    exception: str | None,
    pattern: str,
    products: Sequence[str],
    sources: Sequence[str],
) -> str:
    document = tomlkit.document()
    document["id"] = entry_id
    document["status"] = "active"
    document["added"] = added
    document["kind"] = "error"
    document["role"] = "cause"
    document["products"] = list(products)
    document["versions"] = tomlkit.inline_table()
    document["exceptions"] = [exception] if exception else []
    document["related"] = []
    document["sources"] = list(sources)
    signature = tomlkit.table()
    signature["pattern"] = _literal(pattern)
    document["signature"] = AoT([signature])
    needs = tomlkit.table()
    needs["needs"] = []
    document["repro"] = needs
    return tomlkit.dumps(document)


def _page(title: str, lang: str) -> str:
    """A page with its title and its five headings, and nothing below them."""
    sections = (f"## {words} {{ #{anchor} }}" for words, anchor in zip(HEADINGS[lang], SECTION_IDS, strict=True))
    return "\n\n".join([f"# {title}", *sections]) + "\n"


def write_draft(
    kb: Path,
    area: str,
    slug: str,
    log: str,
    *,
    products: Sequence[str],
    sources: Sequence[str],
    added: date,
    more: Sequence[str] = (),
) -> Path:
    """Write the folder of a new entry: its metadata, a first signature, three empty pages, and the log as its first sample.

    Args:
        kb: the knowledge folder of a checkout.
        area: one of the areas.
        slug: name of the failure, in small letters with hyphens.
        log: what the program printed; secrets and personal parts are removed.
        products: import names of the libraries concerned.
        sources: https addresses on which the entry will rest.
        added: the day of the entry, today.
        more: further logs of the same error, which become samples, too.

    Returns:
        The folder.

    Raises:
        InputError: the area or the slug cannot be used, a folder of that name is there, or no error stands in the log.
    """
    if PACKAGE in kb.resolve().parents:
        raise InputError("An entry is written in a checkout of errdex; set ERRDEX_KB to its kb/.", field="kb")
    if area not in AREAS:
        raise InputError(f"There is no area of this name; use one of {', '.join(AREAS)}.", field="area")
    if not _SLUG.fullmatch(slug):
        raise InputError("Name the failure in small letters, two words or more, with hyphens between them.", field="slug")
    if not all(source.startswith("https://") for source in sources):
        raise InputError("A source is an https address.", field="source")
    entries, _ = read_entries(kb)
    folder = kb / "entries" / area / slug
    if folder.exists() or any(entry.slug == slug for entry in entries.values()):
        raise InputError("An entry of this name is there already; open it, or choose another name.", field="slug")
    text = redact(log).text
    report = read_report(text)
    if report.root is None and not report.error_lines:
        raise InputError("No error was found in the log; give the part with the last traceback or error line.", field="log")
    exception = report.root.type if report.root else None
    message = (report.root.message if report.root else report.error_lines[0].text).strip().split("\n")[0].strip()
    title = message if exception is None else f"{exception}: {message}" if message else exception
    if len(title) < _SHORTEST_PATTERN:
        raise InputError("The error's line is too short to be recognised by; give more of the log.", field="log")
    pattern = first_pattern(message if len(message) >= _SHORTEST_PATTERN else title)
    (folder / "samples").mkdir(parents=True)
    (folder / "samples" / "hit-report.txt").write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    for number, other in enumerate(more, start=2):
        (folder / "samples" / f"hit-report-{number}.txt").write_text(redact(other).text.rstrip("\n") + "\n", encoding="utf-8")
    toml = _entry_toml(_next_id(area, list(entries)), added, exception, pattern, products, sources)
    (folder / "entry.toml").write_text(toml, encoding="utf-8")
    for lang in LANGS:
        (folder / f"{lang}.md").write_text(_page(title, lang), encoding="utf-8")
    return folder
