"""Every rule of `kb/CONTRIBUTING.md`, checked over a folder of entries, all findings at once.

A rule is one small function: it looks at one entry and yields the file and the remedy. Its name is the rule's name.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pydantic import BaseModel

from errdex.catalog import SCRIPTS, read_entries
from errdex.dialects import javascript
from errdex.entry import AREAS, LANGS, Checked, Entry, EntryFile, Repro, Signature
from errdex.language_rules import (
    EDITIONS,
    LANGUAGE_RULES,
    Conventions,
    code_blocks,
    links,
    prose,
    read_conventions,
    unneeded_exemptions,
)
from errdex.lookup import Lookup
from errdex.models import Stage, Status
from errdex.page import SECTION_IDS
from errdex.patterns import compile_pattern
from errdex.stamp import english_hash, write_checked

HEADINGS: Mapping[str, Sequence[str]] = {
    "en": ("Meaning", "Cause", "Fix", "Verify", "See also"),
    "zh-CN": ("含义", "原因", "解决办法", "验证", "另见"),
    "zh-TW": ("意義", "原因", "解決方式", "驗證", "另見"),
}
QUESTIONS = tuple(f"hit-question-{lang}.txt" for lang in LANGS)
MAX_BROKEN_LINES = 10
_SAMPLE = re.compile(r"(?:hit|miss)-[a-z0-9][A-Za-z0-9.-]*\.txt")
_ID = re.compile(rf"\b(?:{'|'.join(area.upper() for area in AREAS)})\d{{3}}\b")


@dataclass(frozen=True, order=True)
class Finding:
    """One broken rule: where, which, and what to do."""

    path: str
    rule: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.path}: {self.rule}: {self.remedy}"


@dataclass(frozen=True)
class Subject:
    """One entry with everything that a rule may ask about it."""

    entry: Entry
    folder: Path
    entries: Mapping[str, Entry]
    conventions: Conventions
    lookup: Lookup | None


Problem = tuple[str, str]
Rule = Callable[[Subject], Iterator[Problem]]


def _misplaced(keys: Iterable[str], model: type[BaseModel], where: str) -> Iterator[Problem]:
    stands = list(keys)
    order = [field.alias or name for name, field in model.model_fields.items()]
    wanted = sorted(stands, key=order.index)
    if stands != wanted:
        yield "entry.toml", f"{where}: write the keys in the order {', '.join(wanted)}"


def key_order(subject: Subject) -> Iterator[Problem]:
    """Keys stand in the order of the schema."""
    raw = tomllib.loads((subject.folder / "entry.toml").read_text(encoding="utf-8"))
    yield from _misplaced(raw, EntryFile, "entry")
    for signature in raw.get("signature", []):
        yield from _misplaced(signature, Signature, "[[signature]]")
    yield from _misplaced(raw["repro"], Repro, "[repro]")
    yield from _misplaced(raw.get("checked", {}), Checked, "[checked]")


def added(subject: Subject) -> Iterator[Problem]:
    """An entry says on which day it came in: the feed of new entries goes by it."""
    if subject.entry.added is None:
        yield "entry.toml", f"write the day on which the entry came in below `status`: added = {date.today().isoformat()}"


def scripts(subject: Subject) -> Iterator[Problem]:
    """An error has broken.py and fixed.py, a guide example.py, one without a proof none."""
    entry = subject.entry
    wanted = {"broken.py", "fixed.py"} if entry.kind == "error" else {"example.py"}
    if entry.repro.none is not None:
        wanted = set()
    for name in SCRIPTS:
        if name in wanted - entry.scripts.keys():
            yield name, 'missing: write it, or say in [repro] why no program can show it: none = "reason"'
        elif name in entry.scripts.keys() - wanted:
            yield name, "remove it; an error has broken.py and fixed.py, a guide has example.py, `none` goes with no script"


def broken_length(subject: Subject) -> Iterator[Problem]:
    """The proof is short enough to be read at a glance."""
    lines = [line.strip() for line in subject.entry.scripts.get("broken.py", "").splitlines()]
    count = sum(1 for line in lines if line and not line.startswith("#"))
    if count > MAX_BROKEN_LINES:
        yield "broken.py", f"{count} lines; {MAX_BROKEN_LINES} at most, blank lines and comments apart"


def title(subject: Subject) -> Iterator[Problem]:
    """A page begins with its only first-level heading, and a summary follows."""
    for lang, page in subject.entry.pages.items():
        first = [h.line for h in page.headings if h.level == 1]
        if first != [1]:
            yield f"{lang}.md", "begin the page with `# Title`, the only heading of the first level"
        elif not page.summary:
            yield f"{lang}.md", "write a sentence or two below the title: the answer itself"


def sections(subject: Subject) -> Iterator[Problem]:
    """The five sections, in their order, with the words of the language."""
    for lang, page in subject.entry.pages.items():
        if tuple(s.anchor for s in page.sections) != SECTION_IDS:
            yield f"{lang}.md", f"the second-level headings carry these ids in this order: {', '.join(SECTION_IDS)}"
            continue
        for section, words in zip(page.sections, HEADINGS[lang], strict=True):
            if section.title != words:
                yield f"{lang}.md", f"write `## {words} {{ #{section.anchor} }}`, not {section.title!r}"
            if not section.markdown:
                yield f"{lang}.md", f"the section {section.anchor} is empty"


def fixes(subject: Subject) -> Iterator[Problem]:
    """The same fixes in the same order in each language; an error has one at least."""
    pages = subject.entry.pages
    if subject.entry.kind == "error" and not pages["en"].fixes:
        yield "en.md", "write each fix below a heading of its own: `### …`"
    for lang in EDITIONS:
        count, wanted = len(pages[lang].fixes), len(pages["en"].fixes)
        if count != wanted:
            yield f"{lang}.md", f"{count} fixes, but en.md has {wanted}; the same fixes stand in each language"
        elif [fix.code for fix in pages[lang].fixes] != [fix.code for fix in pages["en"].fixes]:
            yield f"{lang}.md", "the fixes hold other code than those of en.md; keep their order and their code"


def fences(subject: Subject) -> Iterator[Problem]:
    """Code is the same in each language, byte for byte."""
    english = code_blocks(subject.entry.pages["en"].source)
    for lang in EDITIONS:
        blocks = code_blocks(subject.entry.pages[lang].source)
        if len(blocks) != len(english):
            yield f"{lang}.md", f"{len(blocks)} code fences, but en.md has {len(english)}; copy them from en.md"
        for number, (own, wanted) in enumerate(zip(blocks, english, strict=False), start=1):
            if own != wanted:
                yield f"{lang}.md", f"code fence {number} differs from that of en.md; copy it, comments included"


def translations(subject: Subject) -> Iterator[Problem]:
    """Each translation has been read against the English page of today."""
    current = english_hash(subject.folder / "en.md")
    recorded = subject.entry.checked.model_dump(by_alias=True)
    for lang in EDITIONS:
        if recorded[lang] != current:
            remedy = f"not read against this en.md; compare them, then run `errdex check --stamp {subject.entry.id}`"
            yield f"{lang}.md", remedy


def language(subject: Subject) -> Iterator[tuple[str, str, str]]:
    """Every rule for Chinese, with the name of the rule in front."""
    for edition in EDITIONS:
        source = subject.entry.pages[edition].source
        for rule in LANGUAGE_RULES:
            for flaw in rule(source, edition, subject.conventions):
                yield rule.__name__, f"{edition}.md", f"line {flaw.line}: {flaw.remedy}"


def related(subject: Subject) -> Iterator[Problem]:
    """Entries that are named in entry.toml exist, and are others."""
    entry = subject.entry
    named = [*entry.related, *re.findall(r"^merged-into:(.+)$", entry.status)]
    for entry_id in sorted(set(named)):
        if entry_id == entry.id:
            yield "entry.toml", f"{entry_id} is this entry itself; remove it"
        elif entry_id not in subject.entries:
            yield "entry.toml", f"{entry_id} does not exist; write that entry or remove the id"
        if named.count(entry_id) > 1:
            yield "entry.toml", f"{entry_id} is named twice; name it once"


def mentions(subject: Subject) -> Iterator[Problem]:
    """Entries that are named in a page exist."""
    for lang, page in subject.entry.pages.items():
        for number, line in prose(page.source):
            for entry_id in _ID.findall(line):
                if entry_id not in subject.entries:
                    yield f"{lang}.md", f"line {number}: {entry_id} does not exist; write that entry or remove the id"


def page_links(subject: Subject) -> Iterator[Problem]:
    """Links lead to https addresses; the site moves, so none is relative."""
    for lang, page in subject.entry.pages.items():
        for number, target in links(page.source):
            if not target.startswith("https://"):
                yield f"{lang}.md", f"line {number}: {target}: link to an https address, name an entry by its id"


def signatures(subject: Subject) -> Iterator[Problem]:
    """Patterns compile, and one that is generic is so wherever it stands."""
    specific = {s.pattern: e.id for e in subject.entries.values() for s in e.signature if not s.generic}
    for number, signature in enumerate(subject.entry.signature, start=1):
        try:
            compile_pattern(signature.pattern)
        except ValueError as error:
            yield "entry.toml", f"[[signature]] {number}: {error}; write it in RE2, without look-around and back-references"
            continue
        try:
            javascript(signature.pattern, "re2")
        except ValueError as error:
            yield "entry.toml", f"[[signature]] {number}: {error}; the lookup in the browser uses the same patterns"
        if signature.generic and signature.pattern in specific:
            where = specific[signature.pattern]
            yield "entry.toml", f"[[signature]] {number}: generic here, specific in {where}; make it the same in both"


def samples(subject: Subject) -> Iterator[Problem]:
    """Enough hits and near misses, each with something in it, and a question per language."""
    entry = subject.entry
    for name, text in entry.samples.items():
        if not _SAMPLE.fullmatch(name):
            yield f"samples/{name}", "name it hit-*.txt or miss-*.txt"
        elif not text.strip():
            yield f"samples/{name}", "empty; paste what the program printed"
    for name in QUESTIONS:
        if name not in entry.samples:
            yield f"samples/{name}", "missing: write the question as somebody would type it who does not know the answer"
    hits = [name for name in entry.samples if name.startswith("hit-") and name not in QUESTIONS]
    misses = [name for name in entry.samples if name.startswith("miss-")]
    if entry.kind == "error" and len(hits) < 2:
        yield "samples", f"{len(hits)} hits beside the questions; paste program output into two files hit-*.txt at least"
    if entry.kind == "error" and not misses:
        yield "samples", "no near miss; put a neighbour's message into a file miss-*.txt"


def hits(subject: Subject) -> Iterator[Problem]:
    """Every hit ranks this entry first."""
    entry, lookup = subject.entry, subject.lookup
    if lookup is None or entry.status != "active":
        return
    for name, text in entry.samples.items():
        if name.startswith("hit-") and text.strip():
            ranking = [result.id for result in lookup.answer(text).results]
            if ranking[:1] != [entry.id]:
                found = ", ".join(ranking) or "nothing"
                yield f"samples/{name}", f"finds {found}; widen the signature, or add aliases for a question"


def misses(subject: Subject) -> Iterator[Problem]:
    """No near miss matches this entry."""
    entry, lookup = subject.entry, subject.lookup
    if lookup is None or entry.status != "active":
        return
    for name, text in entry.samples.items():
        if name.startswith("miss-") and text.strip():
            answer = lookup.answer(text)
            own = [position for position, result in enumerate(answer.results) if result.id == entry.id]
            if any(answer.results[position].evidence.stage == Stage.SIGNATURE for position in own):
                yield f"samples/{name}", "a signature matches it; make the signature narrower"
            elif own == [0] and answer.status == Status.MATCH:
                yield f"samples/{name}", "is answered with this entry as a match; make the page and its aliases narrower"


RULES: tuple[Rule, ...] = (
    key_order,
    added,
    scripts,
    broken_length,
    title,
    sections,
    fixes,
    fences,
    translations,
    related,
    mentions,
    page_links,
    signatures,
    samples,
    hits,
    misses,
)


def _check_entry(subject: Subject) -> Iterator[Finding]:
    for rule in RULES:
        for name, remedy in rule(subject):
            yield Finding(str(subject.folder / name), rule.__name__.replace("_", "-"), remedy)
    for rule_name, name, remedy in language(subject):
        yield Finding(str(subject.folder / name), rule_name, remedy)


def _wanted_folders(kb: Path, ids: Sequence[str]) -> dict[str, list[Path]]:
    """Folders of each id or slug, those of entries that cannot be read included."""
    folders = sorted(path for path in (kb / "entries").glob("*/*") if path.is_dir())

    def belongs(folder: Path, wanted: str) -> bool:
        toml_path = folder / "entry.toml"
        head = toml_path.read_text(encoding="utf-8", errors="replace") if toml_path.is_file() else ""
        says_so = re.search(rf'^id\s*=\s*["\']{re.escape(wanted.upper())}["\']', head, re.MULTILINE)
        return folder.name == wanted.lower() or says_so is not None

    return {wanted: [folder for folder in folders if belongs(folder, wanted)] for wanted in ids}


def _as_finding(line: str) -> Finding:
    """A line of `read_entries` with its three parts."""
    path, rule, remedy = line.split(": ", 2)
    return Finding(path, rule, remedy)


def run_checks(kb: Path, ids: Sequence[str] = (), lookup: Lookup | None = None) -> list[Finding]:
    """Check entries against every rule.

    Args:
        kb: the knowledge folder.
        ids: ids or slugs of the entries to check; by default all, and whether each exemption is still needed.
        lookup: ranks the samples. Without one the two rules that need it, `hits` and `misses`, are left out:
            the caller chose so.

    Returns:
        All findings, sorted.
    """
    entries, unreadable = read_entries(kb)
    conventions = read_conventions(kb)
    findings = {_as_finding(line) for line in unreadable}
    chosen = list(entries.values())
    if ids:
        folders = _wanted_folders(kb, ids)
        inside = {str(folder) for found in folders.values() for folder in found}
        findings = {f for f in findings if any(f.path == path or f.path.startswith(f"{path}/") for path in inside)}
        findings |= {
            Finding(str(kb / "entries"), "id", f"no entry has the id or slug {wanted}")
            for wanted, found in folders.items()
            if not found
        }
        chosen = [entry for entry in chosen if str(kb / "entries" / entry.path) in inside]
    else:
        pages = {edition: [entry.pages[edition].source for entry in chosen] for edition in EDITIONS}
        findings |= {
            Finding(str(kb / "characters.toml"), "exemption", remedy) for remedy in unneeded_exemptions(conventions, pages)
        }
    for entry in chosen:
        findings |= set(_check_entry(Subject(entry, kb / "entries" / entry.path, entries, conventions, lookup)))
    return sorted(findings)


def stamp_translations(folder: Path) -> bool:
    """Record that both translations of an entry have been read against its English page of today.

    Args:
        folder: the entry's folder.

    Returns:
        Whether `entry.toml` changed.
    """
    current = english_hash(folder / "en.md")
    return write_checked(folder / "entry.toml", dict.fromkeys(EDITIONS, current))
