"""A page of an entry: Markdown in, title, summary, sections and fixes out."""

import re

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
    """One language of an entry."""

    model_config = ConfigDict(frozen=True)

    title: str
    summary: str
    sections: list[Section]
    fixes: list[Fix]
    headings: list[Heading]
    fences: list[str]
    source: str

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


def parse_page(markdown: str) -> Page:
    """Read one page. A missing part is left empty: `errdex check` names it."""
    lines = markdown.splitlines()
    marks = headings(markdown)

    def body(position: int, level: int) -> str:
        end = next((h.line - 1 for h in marks[position + 1 :] if h.level <= level), len(lines))
        return "\n".join(lines[marks[position].line : end]).strip()

    first = marks[0] if marks and marks[0].level == 1 else None
    summary_end = marks[1].line - 1 if len(marks) > 1 else len(lines)
    in_fix = ""
    sections: list[Section] = []
    fixes: list[Fix] = []
    for position, heading in enumerate(marks):
        if heading.level == 2:
            in_fix = heading.anchor or ""
            sections.append(Section(anchor=in_fix, title=heading.text, markdown=body(position, 2)))
        elif heading.level == 3 and in_fix == "fix":
            text = body(position, 3)
            fixes.append(Fix(title=heading.text, markdown=text, code=fences(text)))
    return Page(
        title=first.text if first else "",
        summary="\n".join(lines[first.line : summary_end]).strip() if first else "",
        sections=sections,
        fixes=fixes,
        headings=marks,
        fences=fences(markdown),
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
