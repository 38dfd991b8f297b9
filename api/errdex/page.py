"""A page of an entry: Markdown in, title, summary, sections and fixes out."""

import re
from collections.abc import Sequence
from functools import cached_property

from pydantic import BaseModel, ConfigDict

SECTION_IDS = ("meaning", "cause", "fix", "verify", "see-also")
_HEADING = re.compile(r"^(#{1,3}) (.+?)(?: \{ ?#([a-z-]+) ?\})?$")
_FENCE = re.compile(r"^\s*(```+|~~~+)")


class Heading(BaseModel):
    """A heading outside code: its level (1 to 3), text, anchor and line (from 1)."""

    model_config = ConfigDict(frozen=True)

    level: int
    text: str
    anchor: str | None
    line: int


class Fix(BaseModel):
    """One fix: its heading, its Markdown, and the code fences in it."""

    model_config = ConfigDict(frozen=True)

    title: str
    markdown: str
    code: list[str]


class Section(BaseModel):
    """One second-level section with its language-neutral anchor."""

    model_config = ConfigDict(frozen=True)

    anchor: str
    title: str
    markdown: str


class Page(BaseModel):
    """One language of an entry: what an answer needs, and the rest when somebody asks for it."""

    model_config = ConfigDict(frozen=True)

    title: str
    summary: str
    fixes: list[Fix]
    source: str

    @cached_property
    def headings(self) -> list[Heading]:
        """Headings, code left out."""
        return headings(self.source)

    @cached_property
    def fences(self) -> list[str]:
        """What stands in code fences."""
        return fences(self.source)

    @cached_property
    def sections(self) -> list[Section]:
        """Second-level sections, in order."""
        lines = self.source.splitlines()
        return [
            Section(anchor=heading.anchor or "", title=heading.text, markdown=_body(lines, self.headings, position))
            for position, heading in enumerate(self.headings)
            if heading.level == 2
        ]

    def section(self, anchor: str) -> str:
        """Markdown of one section, without its heading; empty when there is none."""
        return next((s.markdown for s in self.sections if s.anchor == anchor), "")


def fences(markdown: str) -> list[str]:
    """Code fences of a text, in order, without the fence lines."""
    found: list[str] = []
    body: list[str] | None = None
    closing = ""
    for line in markdown.splitlines():
        mark = _FENCE.match(line)
        if body is None and mark:
            body, closing = [], mark[1]
        elif body is not None and line.strip() == closing:
            found.append("\n".join(body))
            body = None
        elif body is not None:
            body.append(line)
    return found


def headings(markdown: str) -> list[Heading]:
    """Headings of a text, code fences left out."""
    found: list[Heading] = []
    closing: str | None = None
    for number, line in enumerate(markdown.splitlines(), start=1):
        mark = _FENCE.match(line)
        if closing is None and mark:
            closing = mark[1]
        elif closing is not None:
            closing = None if line.strip() == closing else closing
        elif heading := _HEADING.match(line):
            found.append(
                Heading(level=len(heading[1]), text=heading[2].strip(), anchor=heading[3], line=number),
            )
    return found


def _body(lines: Sequence[str], marks: Sequence[Heading], position: int) -> str:
    """What stands below a heading, up to the next one that is not lower."""
    end = next((h.line - 1 for h in marks[position + 1 :] if h.level <= marks[position].level), len(lines))
    return "\n".join(lines[marks[position].line : end]).strip()


def parse_page(markdown: str) -> Page:
    """Read one page. A missing part is left empty: `errdex check` names it."""
    lines = markdown.splitlines()
    marks = headings(markdown)
    first = marks[0] if marks and marks[0].level == 1 else None
    summary_end = marks[1].line - 1 if len(marks) > 1 else len(lines)
    in_fix = ""
    fixes: list[Fix] = []
    for position, heading in enumerate(marks):
        if heading.level == 2:
            in_fix = heading.anchor or ""
        elif heading.level == 3 and in_fix == "fix":
            text = _body(lines, marks, position)
            fixes.append(Fix(title=heading.text, markdown=text, code=fences(text)))
    return Page(
        title=first.text if first else "",
        summary="\n".join(lines[first.line : summary_end]).strip() if first else "",
        fixes=fixes,
        source=markdown,
    )


def code_block(code: str, opening: str) -> str:
    """Code between fences that are longer than any in it.

    Args:
        code: any text.
        opening: what stands behind the first fence: a language, or a list of attributes.
    """
    fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", code)), default=0))
    return f"{fence}{opening}\n{code}\n{fence}"
