"""What is kept of a text that errdex could not answer: its error, and a few redacted lines around it; never the whole."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from errdex.fingerprint import Fingerprint, Kind, normalized_message
from errdex.models import Answer, RootError, Status
from errdex.redact import redact
from errdex.report import read_report

MAX_SAMPLE = 8 << 10  # characters of a sample
_BEFORE, _AFTER = 60, 20  # lines of a sample above and below the line that names the error
_WIDE_BEFORE, _WIDE_AFTER = 24 << 10, 12 << 10  # characters around the error that are redacted before anything is cut closer
_LONGEST_KEY = 9000
_KEY_BEGINS, _KEY_ENDS = "-----BEGIN", "-----END"
_SHORTEST_HEAD = 4
_MAX_LINE = 1000
_MAX_QUESTION = 600
_LIBRARY = re.compile(r"(?:site|dist)-packages[\\/](\w{2,60})", re.ASCII)
_UNSTORABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_MOST = 20  # libraries or versions of one sighting


class Sighting(NamedTuple):
    """One lookup, as the recorder takes it over: cheap to make, so nothing is read here yet.

    `text` is what the caller sent, unredacted: it waits in memory only, and only where there was no match.
    """

    day: date
    status: Status
    root: RootError | None
    looked_for: str | None
    nearest: tuple[tuple[str, float], ...]
    versions: Mapping[str, str]
    lang: str
    text: str | None


def sighting(answer: Answer, text: str, day: date) -> Sighting:
    """What the recorder needs of a lookup.

    Args:
        answer: what was answered.
        text: what was asked, as it came.
        day: the day, in UTC.
    """
    report = answer.report
    if answer.status is Status.MATCH or answer.degraded:  # what the model would have known is not unanswered
        return Sighting(day, answer.status, report.root, None, (), {}, answer.lang, None)
    nearest = tuple([(result.id, result.confidence) for result in answer.results])
    return Sighting(day, answer.status, report.root, answer.looked_for, nearest, report.versions, answer.lang, text)


@dataclass(frozen=True)
class Unanswered:
    """What is stored of one sighting; everything in it is redacted.

    Attributes:
        fingerprint: which error it is.
        day: when it was seen.
        lang: language of the answer, which is that of the words around the log.
        libraries: import names seen in the frames.
        versions: library to version, as the text or the caller named them.
        nearest: entries that came nearest, with their confidence.
        sample: the lines around the error, or the question; empty when enough of them are stored.
    """

    fingerprint: Fingerprint
    day: date
    lang: str
    libraries: frozenset[str]
    versions: Mapping[str, str]
    nearest: Mapping[str, float]
    sample: str


def storable(text: str) -> str:
    """Redacted once more, and without what no database or terminal should be given."""
    whole = text.encode("utf-8", errors="replace").decode("utf-8")
    return redact(_UNSTORABLE.sub("", whole.replace("\r\n", "\n").replace("\r", "\n"))).text


def _head(root: RootError) -> str:
    """What the line of the root is found by: the beginning of its message, as far as nothing in it was replaced."""
    head = re.split(r"[<\n]", root.message, maxsplit=1)[0][:60].strip()
    return head if len(head) >= _SHORTEST_HEAD or not root.type else root.type


def _nearest(text: str, head: str, near: int) -> int | None:
    """Where a text stands, nearest to a position."""
    before, after = text.rfind(head, 0, near + len(head)), text.find(head, near)
    places = [place for place in (before, after) if place >= 0]
    return min(places, key=lambda place: abs(place - near)) if places else None


def _line_start(text: str, line: int) -> int:
    """Where a line begins, counted from 1; the last one when there are fewer."""
    start = 0
    for _ in range(line - 1):
        end = text.find("\n", start)
        if end < 0:
            break
        start = end + 1
    return start


def _window(text: str, at: int) -> tuple[int, int]:
    """A part of the text, much wider than what is kept of it: no secret loses its beginning to the cut."""
    first = text.rfind("\n", 0, max(0, at - _WIDE_BEFORE)) + 1
    first = max(first, at - 2 * _WIDE_BEFORE)
    key = text.rfind(_KEY_BEGINS, max(0, first - _LONGEST_KEY), first)
    if key >= 0 and _KEY_ENDS not in text[key:first]:
        first = key
    last = text.find("\n", at + _WIDE_AFTER)
    return max(0, first), min(len(text) if last < 0 else last, at + 2 * _WIDE_AFTER)


def excerpt(text: str, root: RootError) -> str:
    """The lines around an error, redacted.

    Args:
        text: the whole log, as it came.
        root: its error, as the lookup read it.
    """
    text = text.replace("\r\n", "\n")
    if text.count("\n") <= 1 and text.count("\\n") >= 2:
        text = text.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')  # a log that travelled inside JSON
    head, named = _head(root), _line_start(text, root.line)
    found = _nearest(text, head, named)
    at = named if found is None else found
    first, last = _window(text, at)
    around = redact(text[first:last]).text
    place = _nearest(around, head, at - first)
    return _cut(around, min(at - first, len(around)) if place is None else place)


def _cut(text: str, at: int) -> str:
    """At most `MAX_SAMPLE` characters of a redacted text: some lines above the position, and fewer below it."""
    start = max(text.rfind("\n", 0, at) + 1, at - _MAX_LINE // 2)
    below = "\n".join(line[:_MAX_LINE] for line in text[start:].split("\n")[: _AFTER + 1])[: MAX_SAMPLE // 2]
    above: list[str] = []
    room = MAX_SAMPLE - len(below)
    for line in reversed(text[: max(0, start - 1)].split("\n")[-_BEFORE:] if start else []):
        room -= min(len(line), _MAX_LINE) + 1
        if room < 0:
            break
        above.append(line[:_MAX_LINE])
    return "\n".join([*reversed(above), below]).strip("\n")


def _kind_and_message(seen: Sighting) -> tuple[Kind, str | None, str]:
    """What the text is about; only a text without an error is read for it again."""
    if seen.root is not None:
        return ("error" if seen.root.type else "line"), seen.root.type, seen.root.message
    text = redact((seen.text or "")[: 4 * _MAX_QUESTION]).text
    report = read_report(text)
    return "question", None, (report.question or seen.looked_for or text)[:_MAX_QUESTION]


def fingerprint_of(seen: Sighting) -> Fingerprint | None:
    """Which error or question it is; None when nothing is left to tell."""
    kind, name, message = _kind_and_message(seen)
    told = normalized_message(storable(message))
    return Fingerprint(kind, name[:120] if name else None, told) if told or name else None


def read_sighting(seen: Sighting, mark: Fingerprint, *, sample: bool) -> Unanswered:
    """What is stored of a lookup.

    Args:
        seen: the lookup.
        mark: which error it is.
        sample: whether a sample of it is wanted.
    """
    text = seen.text or ""
    shown = ""
    if sample:
        shown = excerpt(text, seen.root) if seen.root else redact(text[: 4 * _MAX_QUESTION]).text[:_MAX_QUESTION]
        shown = storable(shown)[:MAX_SAMPLE]
    return Unanswered(
        fingerprint=mark,
        day=seen.day,
        lang=seen.lang,
        libraries=frozenset(sorted({name.lower() for name in _LIBRARY.findall(shown)})[:_MOST]),
        versions=dict(sorted(seen.versions.items())[:_MOST]),
        nearest=dict(seen.nearest),
        sample=shown,
    )
