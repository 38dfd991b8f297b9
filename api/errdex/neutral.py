"""Entry text that cannot run: HTML in it stays text, attributes are not set by it, and its links lead to the web only.

Markdown hands HTML, attribute lists and any link through to the page. An entry needs none of them; what looks like one is
written so that it is read, not obeyed. Whatever is not certainly code counts as text.
"""

import re

from errdex.catalog import Catalog
from errdex.entry import Entry
from errdex.page import parse_page
from errdex.stamp import restamped

_FENCE = re.compile(r"( *)(`{3,}|~{3,}) ?[\w+-]*")
_SPAN = re.compile(r"(?<![\\`])(`+)(?!`)([^\n]+?)(?<!`)\1(?!`)")
_AUTOLINK = re.compile(r"<https?://[^\s<>\"'`]+>")
_ANCHOR = re.compile(r"(#{1,3} .*)(\{ ?#[a-z0-9-]+ ?\})\s*")
_LINK = re.compile(r"\]\((?!https?://|#[\w-]*\)|[\w./-]+(?:#[\w-]*)?\))")
_REFERENCE = re.compile(r"^(\s*(?:>\s*)*)\[(?=[^\]\n]*\]:)")
_LOOSE_FENCE = re.compile(r"^([\s>]*)(`{3,}|~{3,})")
_NOT_IN_NAME = re.compile(r"[^\w.:\- ]")
_NOT_IN_NEED = re.compile(r"[^\w.:\-=<>!~,+]|<(?!=?\d)")
_UNSAFE_IN_ADDRESS = re.compile(r"[<>\"'`\\{}|^\[\]()\s]")


def _words(text: str) -> str:
    """Text between code: no tag, no attribute list, no picture, no link but to the web or within the site."""
    parts, end = [], 0
    for link in _AUTOLINK.finditer(text):
        parts += [text[end : link.start()].replace("<", "&lt;"), link[0]]
        end = link.end()
    parts.append(text[end:].replace("<", "&lt;"))
    return _LINK.sub("]&#40;", "".join(parts)).replace("{", "&#123;").replace("![", "&#33;[")


def _line(line: str, *, spans: bool) -> str:
    heading = _ANCHOR.fullmatch(line)
    text, anchor = (heading[1], heading[2]) if heading else (line, "")
    text = _REFERENCE.sub(r"\1&#91;", text)
    parts, end = [], 0
    for span in _SPAN.finditer(text) if spans else ():
        parts += [_words(text[end : span.start()]), span[0]]
        end = span.end()
    return "".join([*parts, _words(text[end:]), anchor])


def _closing(lines: list[str], start: int) -> int | None:
    """Where the fence that opens in this line closes; None where none opens, or it stays open."""
    opened = _FENCE.fullmatch(lines[start])
    if not opened:
        return None
    fence = opened[1] + opened[2]
    closing = next((at for at in range(start + 1, len(lines)) if lines[at].rstrip() == fence), None)
    inside = lines[start + 1 : closing]
    return closing if all(line.startswith(opened[1]) or not line.strip() for line in inside) else None


def _as_text(fence: re.Match[str]) -> str:
    """The marks of a fence that opens nothing: each reader of Markdown has its own idea of those."""
    return fence[1] + "".join(f"&#{ord(mark)};" for mark in fence[2])


def _paragraph(lines: list[str]) -> list[str]:
    """Lines up to a blank one. A mark that stays open in its line may close in another: then none of them counts as code."""
    lines = [_LOOSE_FENCE.sub(_as_text, line) for line in lines]
    spans = not any("`" in _SPAN.sub("", line) for line in lines)
    return [_line(line, spans=spans) for line in lines]


def neutral_markdown(markdown: str) -> str:
    """The text with code as it is and everything else unable to run; the first heading is left to who shows it."""
    lines, done = markdown.splitlines(), []
    at, end = 0, 0
    if lines and lines[0].startswith("# "):
        done, at = [lines[0]], 1
    while at < len(lines):
        closing = _closing(lines, at)
        if closing is not None:
            end = closing + 1
            done += lines[at:end]
        else:
            end = next(
                (n for n in range(at + 1, len(lines)) if not lines[n].strip() or _closing(lines, n) is not None), len(lines)
            )
            done += _paragraph(lines[at:end])
        at = end
    return "\n".join(done) + ("\n" if markdown.endswith("\n") else "")


def neutral_address(url: str) -> str:
    """An address with nothing in it that could end a link."""
    return _UNSAFE_IN_ADDRESS.sub(lambda match: f"%{ord(match[0]):02X}", url)


def _name(text: str) -> str:
    """The name of a library, without what no such name has."""
    return _NOT_IN_NAME.sub("", text)


def _neutral_entry(entry: Entry) -> Entry:
    none, needs = entry.repro.none, [_NOT_IN_NEED.sub("", need) for need in entry.repro.needs]
    pages = {lang: parse_page(neutral_markdown(page.source)) for lang, page in entry.pages.items()}
    return entry.model_copy(
        update={
            "pages": pages,
            "checked": restamped(entry, pages["en"].source),
            "versions": {_name(name): versions for name, versions in entry.versions.items()},
            "sources": [neutral_address(url) for url in entry.sources],
            "repro": entry.repro.model_copy(update={"none": none and "\n".join(_paragraph([none])), "needs": needs}),
        },
    )


def neutral_catalog(catalog: Catalog) -> Catalog:
    """The catalog with the text of each entry unable to run."""
    return Catalog(entries={id_: _neutral_entry(entry) for id_, entry in catalog.entries.items()}, digest=catalog.digest)
