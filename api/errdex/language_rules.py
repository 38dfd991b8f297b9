"""How Chinese is written here: spacing and punctuation, one script per edition, one set of terms per edition.

Each rule takes one page's prose and yields what is wrong with it. Code spans, fences and addresses are not prose.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import opencc

Edition = Literal["zh-CN", "zh-TW"]
EDITIONS: tuple[Edition, ...] = ("zh-CN", "zh-TW")

_HAN = r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
_MARK = "[，。：；？！（）、「」『』《》【】]"
_FENCE = re.compile(r"^\s*(```+|~~~+)")
_CODE_SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\(([^)\s]*)[^)\n]*\)")
_ADDRESS = re.compile(r"<?https?://[!-;=?-~]+>?")
_ANCHOR = re.compile(r" \{ ?#[a-z-]+ ?\}$")
_BLOCK_MARK = re.compile(r"^\s*(?:(?:[-*+>]|\d+\.|#{1,6})\s+)+")
_EMPHASIS = re.compile(r"\*+")
# A code span is as Latin as a word, so the spacing rules see one.
_CODE_WORD = "x"


class Flaw(NamedTuple):
    """What is wrong with one line: its number (from 1) and the remedy."""

    line: int
    remedy: str


@dataclass(frozen=True)
class Term:
    """One term that the editions write differently.

    Attributes:
        en: the English term.
        say: what each edition says.
        refused: what each edition must not say.
    """

    en: str
    say: Mapping[Edition, str]
    refused: Mapping[Edition, Sequence[str]]


@dataclass(frozen=True)
class Conventions:
    """What `glossary.toml` and `characters.toml` say.

    Attributes:
        terms: terms that differ between the editions.
        shared: characters that an edition may use although OpenCC counts them to the other, with the reason.
    """

    terms: Sequence[Term] = ()
    shared: Mapping[Edition, Mapping[str, str]] = field(default_factory=lambda: {e: {} for e in EDITIONS})


def read_conventions(kb: Path) -> Conventions:
    """Read both files of the knowledge folder; one that is not there says nothing."""

    def table(name: str) -> dict[str, object]:
        path = kb / name
        return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}

    rows = table("glossary.toml").get("term", [])
    characters = table("characters.toml")
    assert isinstance(rows, list)
    return Conventions(
        terms=[
            Term(
                en=row["en"],
                say={edition: row[edition] for edition in EDITIONS},
                refused={edition: row.get(f"not-{edition}", []) for edition in EDITIONS},
            )
            for row in rows
        ],
        shared={e: dict(listed) if isinstance(listed := characters.get(e, {}), dict) else {} for e in EDITIONS},
    )


def code_blocks(markdown: str) -> list[str]:
    """Code fences with their fence lines, exactly as they stand; one that is never closed runs to the end."""
    blocks: list[str] = []
    closing = ""
    for line in markdown.split("\n"):
        if closing:
            blocks[-1] += f"\n{line}"
            closing = "" if line.strip() == closing else closing
        elif mark := _FENCE.match(line):
            blocks.append(line)
            closing = mark[1]
    return blocks


def text_lines(markdown: str) -> Iterator[tuple[int, str]]:
    """Lines outside code fences, with their numbers."""
    closing = ""
    for number, line in enumerate(markdown.split("\n"), start=1):
        if closing:
            closing = "" if line.strip() == closing else closing
        elif mark := _FENCE.match(line):
            closing = mark[1]
        else:
            yield number, _CODE_SPAN.sub(_CODE_WORD, line)


def links(markdown: str) -> Iterator[tuple[int, str]]:
    """Targets of all links outside code, with their line numbers."""
    for number, line in text_lines(markdown):
        yield from ((number, match[2]) for match in _LINK.finditer(line))
        yield from ((number, match[0].strip("<>")) for match in _ADDRESS.finditer(_LINK.sub("", line)))


@cache
def prose(markdown: str) -> tuple[tuple[int, str], ...]:
    """What a reader reads, line by line: no code, no addresses, no marks of Markdown."""
    found = []
    for number, line in text_lines(markdown):
        plain = _ADDRESS.sub(_CODE_WORD, _LINK.sub(r"\1", line))
        found.append((number, _EMPHASIS.sub("", _ANCHOR.sub("", _BLOCK_MARK.sub("", plain)))))
    return tuple(found)


def _quote(line: str, match: re.Match[str]) -> str:
    """The place in its surroundings, short enough for one line of output."""
    return f"{line[max(0, match.start() - 6) : match.end() + 6]!r}"


_SPACING = (
    (re.compile(rf"(?<={_HAN})(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?={_HAN})"), "put one space between Chinese and Latin or code"),
    (re.compile(rf"(?<={_HAN}) {{2,}}(?=[A-Za-z0-9])|(?<=[A-Za-z0-9]) {{2,}}(?={_HAN})"), "one space is enough"),
    # A cell of a table may begin or end with a mark, so the space beside `|` is none of it.
    (re.compile(rf"(?<=[^\s|]) +{_MARK}|{_MARK} +(?=[^\s|])"), "no space beside a full-width mark"),
)
_PUNCTUATION = (
    (
        re.compile(rf"(?<={_HAN})[,;:!?()]|[,;:!?()](?={_HAN})|(?<={_HAN}) \("),
        "write the full-width mark （，；：！？（））beside Chinese",
    ),
)


def spacing(text: str, edition: Edition, conventions: Conventions) -> Iterator[Flaw]:
    """One space between Chinese and Latin, none beside full-width marks."""
    yield from _matches(text, _SPACING)


def punctuation(text: str, edition: Edition, conventions: Conventions) -> Iterator[Flaw]:
    """Full-width punctuation in Chinese prose."""
    yield from _matches(text, _PUNCTUATION)


def _matches(text: str, rules: Sequence[tuple[re.Pattern[str], str]]) -> Iterator[Flaw]:
    for number, line in prose(text):
        for pattern, remedy in rules:
            yield from (Flaw(number, f"{_quote(line, match)}: {remedy}") for match in pattern.finditer(line))


def address(text: str, edition: Edition, conventions: Conventions) -> Iterator[Flaw]:
    """The reader is 你."""
    yield from (Flaw(number, "write 你, not 您") for number, line in prose(text) if "您" in line)


@cache
def _converter(name: str) -> opencc.OpenCC:
    return opencc.OpenCC(name)


@cache
def is_foreign(character: str, edition: Edition) -> bool:
    """Whether OpenCC counts a character to the other edition."""
    # s2tw rather than s2t: Taiwan keeps 群, 床 and a few more that s2t takes for Simplified.
    return bool(_converter("s2tw" if edition == "zh-TW" else "t2s").convert(character) != character)


def script(text: str, edition: Edition, conventions: Conventions) -> Iterator[Flaw]:
    """No character that only the other edition writes."""
    other = "Simplified" if edition == "zh-TW" else "Traditional"
    for number, line in prose(text):
        foreign = Counter(c for c in line if is_foreign(c, edition) and c not in conventions.shared[edition])
        for character in foreign:
            own = _converter("s2tw" if edition == "zh-TW" else "t2s").convert(character)
            remedy = f"{character} is {other}; write {own}, or name it in characters.toml if {edition} writes {character} here"
            yield Flaw(number, remedy)


def terms(text: str, edition: Edition, conventions: Conventions) -> Iterator[Flaw]:
    """No term that only the other edition uses."""
    for number, line in prose(text):
        for term in conventions.terms:
            for refused in term.refused[edition]:
                if refused in line:
                    yield Flaw(number, f"{refused} is the other edition's word for {term.en}; write {term.say[edition]}")


LanguageRule = Callable[[str, Edition, Conventions], Iterator[Flaw]]
LANGUAGE_RULES: tuple[LanguageRule, ...] = (spacing, punctuation, address, script, terms)


def unneeded_exemptions(conventions: Conventions, pages: Mapping[Edition, Sequence[str]]) -> Iterator[str]:
    """Exemptions in `characters.toml` that no page needs.

    Args:
        conventions: the conventions.
        pages: all pages of each edition.
    """
    for edition in EDITIONS:
        used = {c for page in pages[edition] for _, line in prose(page) for c in line}
        for character, reason in conventions.shared[edition].items():
            if not reason.strip():
                yield f"{edition} {character}: say which words need it"
            elif not is_foreign(character, edition):
                yield f"{edition} {character}: remove it; OpenCC does not count it to the other edition"
            elif character not in used:
                yield f"{edition} {character}: remove it; no page uses it"
