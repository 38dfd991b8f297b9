"""An entry as the site shows it: its page with everything around it that comes from data."""

import html
import json
import re
from typing import NamedTuple

from errdex.catalog import Catalog
from errdex.entry import Entry, Lang, Signature
from errdex.lines import clean_lines
from errdex.signatures import compile_pattern
from errdex.words import Words

_EXCEPTION_LINE = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Warning|Interrupt): ")
_CODE_LINE = re.compile(r"(?:raise|warnings\.warn|File|assert|return)\b|[>^~|]")
_MARKDOWN = re.compile(r"([\\*_{}\[\]#])")
_WORDINGS_PER_SIGNATURE = 2
_LONGEST_WORDING = 700


class Wording(NamedTuple):
    """One readable form of the message.

    Attributes:
        text: a real line of output, or the pattern where no sample shows one.
        versions: libraries and ranges in which the message reads so; empty when not limited.
        seen: whether it is a line of output.
    """

    text: str
    versions: dict[str, str]
    seen: bool


class Proof(NamedTuple):
    """How far the entry has been executed: `ok`, `wait` or `none`, and the words for it."""

    state: str
    text: str


def _clarity(line: str) -> tuple[bool, int, int, str]:
    """Order of lines that say the same: with its exception before without, short names and lines first."""
    exception = _EXCEPTION_LINE.match(line)
    return (exception is None, len(exception[0]) if exception else 0, len(line), line)


def _matches(signature: Signature, logs: list[list[str]]) -> list[str]:
    """What the signature matches in the logs, the clearest form first."""
    pattern = compile_pattern(signature.pattern)
    if signature.multiline:
        return [m[0].strip() for log in logs if (m := pattern.search("\n".join(log))) and m[0]]
    lines = {line.strip() for log in logs for line in log if pattern.search(line)}
    spoken = {line for line in lines if not _CODE_LINE.match(line)} or lines
    return sorted(spoken, key=_clarity)


def wordings(entry: Entry) -> list[Wording]:
    """Each wording of the message, as people see it: lines of the samples, else the pattern."""
    names = sorted(n for n in entry.samples if n.startswith("hit-") and not n.startswith("hit-question"))
    logs = [[line.text for line in clean_lines(entry.samples[name])] for name in names]
    found: dict[str, Wording] = {}
    for signature in entry.signature:
        for text in _matches(signature, logs)[:_WORDINGS_PER_SIGNATURE] or [""]:
            shown = text[:_LONGEST_WORDING] or signature.pattern
            # Two lines that differ only in numbers are one wording.
            found.setdefault(re.sub(r"\d+", "0", shown), Wording(shown, signature.versions, seen=bool(text)))
    return sorted(found.values(), key=lambda w: not w.seen)


def versions_text(versions: dict[str, str]) -> str:
    """Version ranges for people: `torch ≥ 1.6, < 2.4`."""
    signs = {">=": "≥ ", "<=": "≤ ", "==": "", "!=": "≠ ", "~=": "~ ", "<": "< ", ">": "> "}
    readable = (
        f"{name} " + re.sub(r"\s*(>=|<=|==|!=|~=|<|>)\s*", lambda m: signs[m[1]], text).replace(",", ", ")
        for name, text in versions.items()
    )
    return " · ".join(text.strip() for text in readable)


def need_text(needs: list[str], words: Words) -> str:
    """What a run takes, in words: `a GPU`, `torch 1.13`."""
    spoken = [
        need.removeprefix("old:").replace("==", " ") if need.startswith("old:") else words[f"need_{need}"] for need in needs
    ]
    return words["separator"].join(spoken)


def proof(entry: Entry, words: Words) -> Proof:
    """How far the entry has been executed."""
    run = entry.checked.run
    if run:
        shown = [f"{name} {version}" for name, version in run.versions.items() if name in entry.products][:2]
        return Proof("ok", " · ".join([*shown, run.device.upper(), run.date.isoformat()]))
    if entry.repro.none is not None:
        return Proof("none", words["badge_none"])
    if entry.repro.needs:
        return Proof("wait", words["badge_needs"].format(needs=need_text(entry.repro.needs, words)))
    return Proof("wait", words["badge_unrun"])


def title_markdown(title: str) -> str:
    """A title as Markdown: its words literal, only its code spans kept."""
    parts = title.split("`")
    if len(parts) % 2 == 0:
        parts = [title]
    # HTML is looked for before backslashes are: "\\<b>" would still be a tag.
    literal = [part if i % 2 else html.escape(_MARKDOWN.sub(r"\\\1", part), quote=False) for i, part in enumerate(parts)]
    return "`".join(literal)


def fenced(code: str, options: str) -> str:
    """A code block whose fence is longer than any in it."""
    fence = "`" * max(3, 1 + max((len(m) for m in re.findall(r"`{3,}", code)), default=0))
    return f"{fence} {{ {options} }}\n{code.rstrip()}\n{fence}"


def _folded(kind: str, title: str, body: str) -> str:
    indented = "\n".join(f"    {line}" if line else "" for line in body.splitlines())
    return f'??? {kind} "{title}"\n\n{indented}'


def _facts(entry: Entry, words: Words) -> str:
    state, text = proof(entry, words)
    others = " · ".join(name for name in entry.products if name not in entry.versions)
    rows = [
        (words["fact_status"] if state == "ok" else words["not_verified"], text, f"ex-{state}"),
        (words["fact_exception"], " · ".join(entry.exceptions), "ex-code"),
        (words["fact_products"], " · ".join(t for t in (versions_text(entry.versions), others) if t), ""),
        (words["fact_id"], entry.id, "ex-code"),
    ]
    cells = "".join(
        f'<div class="{css}"><dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd></div>'
        for name, value, css in rows
        if value
    )
    return f'<dl class="ex-facts" data-search-exclude="true">{cells}</dl>'


def _message(entry: Entry, words: Words) -> tuple[str, str]:
    """The first wording in full, and the others folded away; empty where there are none."""
    shown = [fenced(wording.text, ".text .ex-message") for wording in wordings(entry)]
    notes = [_wording_note(wording, words) for wording in wordings(entry)]
    if len(shown) < 2:
        return "".join(shown), ""
    others = "\n\n".join(block for pair in zip(notes[1:], shown[1:], strict=True) for block in pair if block)
    return shown[0], _folded("quote", words["wordings"].format(count=len(shown) - 1), others)


def _wording_note(wording: Wording, words: Words) -> str:
    parts = [versions_text(wording.versions), "" if wording.seen else words["pattern"]]
    return " · ".join(html.escape(part, quote=False) for part in parts if part)


def _status(entry: Entry, lang: Lang, words: Words, catalog: Catalog) -> str:
    """A note on an entry that no longer answers lookups."""
    if entry.status == "active":
        return ""
    heir = catalog.entries.get(entry.status.removeprefix("merged-into:"))
    text = (
        words["merged"].format(title=title_markdown(heir.pages[lang].title), link=f"../{heir.path}.md")
        if heir
        else words["retired"]
    )
    return f"!!! warning\n\n    {text}"


def _anchored(entry: Entry, lang: Lang) -> tuple[list[str], list[tuple[str, str]]]:
    """The page's sections with an anchor on every heading, the same in each language, and the anchors of the fixes."""
    page = entry.pages[lang]
    lines = page.source.splitlines()
    fixes: list[tuple[str, str]] = []
    section, count = "", 0
    for heading in page.headings:
        if heading.level == 2:
            section, count = heading.anchor or "", 0
        elif heading.level == 3 and heading.anchor is None:
            count += 1
            anchor = f"{section}-{count}"
            lines[heading.line - 1] = f"### {heading.text} {{ #{anchor} }}"
            if section == "fix":
                fixes.append((heading.text, anchor))
    start = page.headings[1].line - 1 if len(page.headings) > 1 else len(lines)
    return lines[start:], fixes


def _answer(entry: Entry, lang: Lang, words: Words, fixes: list[tuple[str, str]]) -> str:
    label = words["steps" if entry.kind == "guide" else "fixes"]
    jumps = "\n".join(f"- [{title}](#{anchor})" for title, anchor in fixes)
    listed = f'<p class="ex-label" data-search-exclude="true">{label}</p>\n\n{jumps}\n\n' if fixes else ""
    return f'<div class="ex-answer" markdown="1">\n\n{entry.pages[lang].summary}\n\n{listed}</div>'


def _related(entry: Entry, lang: Lang, words: Words, catalog: Catalog) -> list[str]:
    others = [catalog.entries[i] for i in entry.related if i in catalog.entries]
    if not others:
        return []
    links = "\n".join(f"- [{title_markdown(e.pages[lang].title)}](../{e.path}.md)" for e in others)
    head = [] if entry.pages[lang].section("see-also") else [f"## {words['see_also']} {{ #see-also }}"]
    return [*head, links]


def _proof_section(entry: Entry, words: Words) -> list[str]:
    blocks = [f"## {words['proof']} {{ #proof }}"]
    run = entry.checked.run
    if entry.repro.none is not None:
        return [*blocks, words["proof_none"], f"> {entry.repro.none}"]
    kind = "guide" if entry.kind == "guide" else "prints" if entry.repro.prints else "error"
    text = words[f"proof_{kind}"]
    if run:
        versions = words["separator"].join(f"{name} {version}" for name, version in run.versions.items())
        last = words["proof_run"].format(
            versions=versions, python=run.python, device=run.device.upper(), date=run.date.isoformat()
        )
    elif entry.repro.needs:
        last = words["proof_needs"].format(needs=need_text(entry.repro.needs, words))
    else:
        last = words["proof_unrun"]
    blocks.append(f"{text} {last}" if text.isascii() else f"{text}{last}")
    return blocks + [
        _folded("example", words[f"script_{name.removesuffix('.py')}"], fenced(code, ".python"))
        for name, code in entry.scripts.items()
    ]


def _sources(entry: Entry, words: Words) -> list[str]:
    links = "\n".join(f"- <{url}>" for url in entry.sources)
    return [f"## {words['sources']} {{ #sources }}", links]


def _yaml(text: str) -> str:
    """A text as a YAML string; JSON is YAML."""
    return json.dumps(text.replace("`", ""), ensure_ascii=False)


def nav_title(entry: Entry, lang: Lang) -> str:
    """The title for narrow places: without the translation in full-width brackets."""
    title = entry.pages[lang].title.replace("`", "")
    return title.split("（")[0].strip() or title


def entry_page(entry: Entry, lang: Lang, words: Words, catalog: Catalog) -> str:
    """The Markdown of one entry's page.

    Args:
        entry: the entry.
        lang: language of the page.
        words: what the site says in that language.
        catalog: where related entries are found.
    """
    page = entry.pages[lang]
    sections, fixes = _anchored(entry, lang)
    message, other_wordings = _message(entry, words)
    description = page.summary.replace("*", "").replace("\n", " ")
    blocks = [
        f"---\ntitle: {_yaml(page.title)}\ndescription: {_yaml(description)}\n---",
        f"# {title_markdown(page.title)}",
        _status(entry, lang, words, catalog),
        message,
        _answer(entry, lang, words, fixes),
        _facts(entry, words),
        other_wordings,
        "\n".join(sections),
        *_related(entry, lang, words, catalog),
        *_proof_section(entry, words),
        *_sources(entry, words),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"
