"""Raw text becomes clean lines: no colours, no launcher's prefixes, no progress bars; rank and number kept."""

import re
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from errdex.salience import worth_reading

MAX_PIECES = 200  # states of a progress bar that overwrote itself on one line
MAX_LINE = 4000  # characters of one line that are read; the rest of a longer line says nothing about an error


class Line(NamedTuple):
    """One cleaned line.

    Attributes:
        number: line of the input, from 1; several lines share it when a progress bar overwrote itself.
        rank: global rank named by a prefix, if any.
        text: the line without prefixes, indentation kept.
        warned: a logger printed it as a warning, and the program went on.
    """

    number: int
    rank: int | None
    text: str
    warned: bool = False


_ANSI = re.compile(r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)|[@-Z\\^_])", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\ufeff]", re.ASCII)
_CONTROL_BYTES = bytes([*range(9), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F])  # those of them that are ASCII
_CONTROL_LEADS = (b"\xc2", b"\xe2\x80", b"\xef\xbb\xbf")  # what the others begin with in UTF-8; dots and quotes do, too
# A progress bar, with what a trainer writes before it (`Epoch 1, loss nan: `) and behind its rate (`, loss=nan, lr=1e-4`).
_BAR = re.compile(
    r"^(?P<label>[^|%\n]{0,120}?)\d{1,3}%\|[^|\n]{0,400}\|[^\[\n]{0,80}\[[^\],\n]{0,80}(?:, [^\],=\n]{1,40})?"
    r"(?:, (?P<figures>[^\]\n]{1,400}))?\]",
    re.ASCII,
)
_LEVEL = r"(?:DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL|FATAL|Debug|Info|Warning|Error)"
_DATE = r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
# Each alternative is anchored and consumes at least one character: stripping repeats until none fits.
_PREFIXES = tuple(
    re.compile(pattern, re.ASCII)
    for pattern in (
        r"\[?\b[Rr]ank[ _]?(?P<rank>\d{1,6})\]?: ?",
        r"\[(?:\d{1,4}),(?P<rank>\d{1,6})\]<std(?:err|out)>: ?",
        r"\[(?:default|trainer|worker)_?(?P<rank>\d{1,6})\]: ?",
        r"(?P<rank>\d{1,4}): (?=\[rank|Traceback|  File |[A-Z]\w{2,60}(?:Error|Exception):)",
        r"\([\w.() -]{1,80}pid=\d{1,9}(?:, ?ip=[\w.<>:-]{1,60})?(?:, ?rank=(?P<rank>\d{1,6}))?\) ?",
        r"<ip>: ?",
        r"(?:worker|node|host)[-_]?\d{1,5}: ?",
        rf"\[?{_DATE}\]?(?: std(?:err|out) [FP](?= ))?[ :,-]{{0,3}}",
        r"\[?\d\d:\d\d:\d\d(?:[.,-]\d{1,6})?\]?[ :-]{1,3}",
        r"\d\d/\d\d(?:/\d\d(?:\d\d)?)? \d\d:\d\d:\d\d[ :-]{1,3}",
        r"[EWIF]\d{4} \d\d:\d\d:\d\d(?:\.\d{1,9})? {1,3}\d{1,9} [\w./<>-]{1,200}:\d{1,6}\] ?(?:\[\d{1,4}/\d{1,4}\] )?",
        rf"\[{_LEVEL}\][ :-]{{0,3}}(?:\[[\w./-]{{1,120}}:\d{{1,6}}(?::[\w<>.]{{1,80}})?\] ?)?",
        rf"{_LEVEL} {{1,4}}(?:\d\d-\d\d \d\d:\d\d:\d\d )?\[?[\w./]{{1,120}}:\d{{1,6}}\]?[ :-]{{0,3}}",
        rf"{_LEVEL}:[\w.]{{1,80}}:(?=\S)",
        rf"{_LEVEL} {{2,8}}(?=\S)",
        rf"- [\w.]{{1,60}} - {_LEVEL} - ?",
    )
)
# The characters that each of them begins with: most lines begin with none, and need no pattern.
_STARTS = (
    "[Rr", "[", "[", "0123456789", "(", "<", "wnh", "[0123456789", "[0123456789", "0123456789", "EWIF", "[", "CDEFIW", "CDEFIW",
    "CDEFIW", "-",
)  # fmt: skip
# A logger's level, before any exception is named; glog writes `W1130`, or `W519` in May.
_WARNED = re.compile(r"(?:(?!(?:Error|Exception): ).){0,120}?\bWARN(?:ING)?\b|.{0,20}?\bW\d{3,4} \d\d:\d\d:\d\d", re.ASCII)
_LABEL = re.compile(r"^([A-Za-z][\w.-]{1,63}): (?=\S| {2})", re.ASCII)
_GROUP_TREE = re.compile(r"^ {2,40}(?:[|+] ?|\+-\+-+ \d{1,6} -+|\+-+ \d{1,6} -+)", re.ASCII)
_GROUP_HEADER = "Exception Group Traceback"
_RICH_BOX = re.compile(r"^ {0,4}[│┃|] ?(.*?) *[│┃|]?$", re.ASCII)


def _unescape(text: str) -> str:
    """A log that travelled inside JSON has its line ends written out."""
    if (
        text.find("\n", text.find("\n") + 1) < 0
        and text.count("\\n") >= 2
        and ("File \\" in text or 'File "' in text or "Error" in text)
    ):
        return text.replace("\\r\\n", "\n").replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')
    return text


def _without_controls(text: str) -> str:
    """The text without what no terminal shows; bytes are deleted ten times as fast as a pattern finds them."""
    data = text.encode("utf-8", "surrogatepass").translate(None, _CONTROL_BYTES)
    left = data.decode("utf-8", "surrogatepass")
    return _CONTROL.sub("", left) if any(lead in data for lead in _CONTROL_LEADS) else left


def _shared_label(lines: list[str]) -> str | None:
    """The host or container name that a launcher put before every line, if it did."""
    labels = Counter(m[1] for line in lines if ": " in line and (m := _LABEL.match(line)))
    filled = sum(1 for line in lines if line.strip())
    for label, count in labels.most_common(1):
        if count >= 3 and count >= 0.6 * filled and not label.endswith(("Error", "Exception", "Warning")):
            return label
    return None


@lru_cache(maxsize=256)
def _prefixes_at(first: str) -> tuple[re.Pattern[str], ...]:
    """The prefixes that can begin with a character."""
    return tuple(prefix for prefix, starts in zip(_PREFIXES, _STARTS, strict=True) if first and first in starts)


def _strip_prefixes(text: str) -> tuple[int | None, str]:
    rank: int | None = None
    # A prefix stands at the very start; indented text is code, a frame or a box.
    if text.startswith("  "):
        return rank, text
    for _ in range(6):
        stripped = text[1:] if text[:1] == " " and text[1:2] not in (" ", "") else text
        for prefix in _prefixes_at(stripped[:1]):
            if match := prefix.match(stripped):
                if "rank" in prefix.groupindex and match["rank"] is not None:
                    rank = int(match["rank"])
                text = stripped[match.end() :]
                break
        else:
            break
    return rank, text


def _is_warned(text: str) -> bool:
    """Whether a logger printed a line as a warning; most lines hold no such letter and need no pattern."""
    return ("WARN" in text or "W" in text[:24]) and bool(_WARNED.match(text))


def _overwritten(whole: str) -> list[str]:
    """What a line held before each return of the carriage: a progress bar's first states, and its last ones."""
    pieces = whole[: MAX_LINE * 4].split("\r")
    return pieces if len(pieces) <= MAX_PIECES else pieces[: MAX_PIECES // 4] + pieces[-3 * MAX_PIECES // 4 :]


def clean_lines(text: str) -> list[Line]:
    """Split and clean a text; of a long one only the lines that `salience` names.

    Args:
        text: anything at all; binary rubbish, torn heads and tails included.

    Returns:
        Lines in order; blank ones kept, since they end messages.
    """
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    raw = _unescape(_without_controls(text)).split("\n")
    read = worth_reading(raw)
    label = _shared_label([raw[position][:200] for position in read]) if text.count(": ") >= 3 else None
    # What a text does not hold anywhere need not be looked for in each of its lines.
    has_groups, has_boxes, may_warn = _GROUP_HEADER in text, "│" in text or "┃" in text, "W" in text
    cleaned: list[Line] = []
    in_group = False
    for position in read:
        number, whole = position + 1, raw[position]
        for piece in _overwritten(whole) if "\r" in whole else (whole,):
            if label and piece.startswith(f"{label}: "):
                piece = piece[len(label) + 2 :]
            while "%|" in piece and (bar := _BAR.match(piece)):
                told = (part.strip() for part in (bar["label"], bar["figures"]) if part)
                cleaned += [Line(number, None, part) for part in told if part]
                piece = piece[bar.end() :]
            rank, content = _strip_prefixes(piece[:MAX_LINE].rstrip())
            if has_groups and _GROUP_HEADER in content:
                in_group = True
            if in_group and (tree := _GROUP_TREE.match(content)):
                content = content[tree.end() :].strip("+-") if "---" in tree[0] else content[tree.end() :]
            elif has_boxes and content[:6].lstrip(" ")[:1] in "│┃" and content.strip() and (box := _RICH_BOX.match(content)):
                content = box[1].rstrip()
            warned = may_warn and ((bool(cleaned) and cleaned[-1].warned and content.startswith("  ")) or _is_warned(piece))
            cleaned.append(Line(number, rank, content, warned))
    return cleaned
