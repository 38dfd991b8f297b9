"""The message of an entry as people see it: every wording, and the versions in which it reads so."""

import re
from functools import cache
from typing import NamedTuple

from errdex.entry import Entry, Signature
from errdex.lines import clean_lines
from errdex.patterns import compile_pattern

_EXCEPTION_LINE = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Warning|Interrupt): ")
_CODE_LINE = re.compile(r"(?:raise|warnings\.warn|File|assert|return)\b|[>^~|]")
_PER_SIGNATURE = 2
_LONGEST = 700


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


def _clarity(line: str) -> tuple[bool, int, int, str]:
    """Order of lines that say the same: with its exception before without, short names and lines first."""
    exception = _EXCEPTION_LINE.match(line)
    return (exception is None, len(exception[0]) if exception else 0, len(line), line)


@cache
def _lines(output: str) -> list[str]:
    return [line.text for line in clean_lines(output)]


@cache  # a page, its neighbours and the lists ask the same in each language
def _matches(pattern: str, multiline: bool, outputs: tuple[str, ...]) -> list[str]:
    """What a pattern matches in the outputs, the clearest form first."""
    compiled = compile_pattern(pattern)
    if multiline:
        return [m[0].strip() for output in outputs if (m := compiled.search("\n".join(_lines(output)))) and m[0]]
    lines = {line.strip() for output in outputs for line in _lines(output) if compiled.search(line)}
    spoken = {line for line in lines if not _CODE_LINE.match(line)} or lines
    return sorted(spoken, key=_clarity)


def _seen(entry: Entry) -> list[tuple[Signature, list[str]]]:
    """Each signature with what it matches in those samples that are a program's output."""
    names = sorted(n for n in entry.samples if n.startswith("hit-") and not n.startswith("hit-question"))
    outputs = tuple(entry.samples[name] for name in names)
    return [(signature, _matches(signature.pattern, signature.multiline, outputs)) for signature in entry.signature]


def printed(entry: Entry) -> list[str]:
    """Everything in the samples that a signature matches, numbers and all."""
    return [text for _, texts in _seen(entry) for text in texts]


def wordings(entry: Entry) -> list[Wording]:
    """Each wording of the message, as people see it: lines of the samples, else the pattern."""
    found: dict[str, Wording] = {}
    for signature, texts in _seen(entry):
        for text in texts[:_PER_SIGNATURE] or [""]:
            shown = text[:_LONGEST] or signature.pattern
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
