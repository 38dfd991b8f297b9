"""Finds every exception in cleaned lines, however it was printed: Python, IPython, rich, pytest, torchrun, C++."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from errdex.language import HAN
from errdex.lines import Line

Link = Literal["cause", "context"]
MAX_MESSAGE_LINES = 40
CRASHES = ("Segmentation fault", "Bus error", "Aborted", "Killed", "Illegal instruction", "Floating point exception")


class Frame(NamedTuple):
    """One line of a stack: file, line (None when not printed), function (None when not printed)."""

    file: str
    line: int | None
    function: str | None


@dataclass(frozen=True)
class Raised:
    """One exception as it was printed.

    Attributes:
        type: name without module (`OutOfMemoryError`).
        message: its text, lines joined by newlines; notes included.
        line: number of the line that names it.
        start: number of the first line of its traceback.
        end: number of the last line of its message.
        rank: rank that printed it, if named.
        frames: stack, outermost first.
        link: how the exception printed next relates to this one.
        quoted: only a constructor call was found (`ValueError("…")`), not a raised exception.
        ignored: it was printed, and the program went on (`Exception ignored in`, a logger's warning).
    """

    type: str
    message: str
    line: int
    start: int
    end: int
    rank: int | None
    frames: tuple[Frame, ...] = ()
    link: Link | None = None
    quoted: bool = False
    ignored: bool = False

    @property
    def headline(self) -> str:
        """`Type: first line of the message`, as Python prints it."""
        first = self.message.split("\n", 1)[0]
        return f"{self.type}: {first}" if first else self.type


_HEADER = "Traceback (most recent call last)"
_LINKS: tuple[tuple[str, Link], ...] = (
    ("The above exception was the direct cause of the following exception", "cause"),
    ("During handling of the above exception, another exception occurred", "context"),
)
_FRAMES = tuple(
    re.compile(p, re.ASCII)
    for p in (
        r"^\s{0,40}File \"(?P<file>[^\"]{1,500})\", line (?P<line>\d{1,7})(?:, in (?P<function>.{1,200}))?",
        # the same with its head torn off
        r"^\s{0,40}\"?(?P<file>[^\"\n]{1,500}\.pyx?)\", line (?P<line>\d{1,7}), in (?P<function>.{1,200})",
        r"^\s{0,8}File (?P<file>(?:[A-Za-z]:)?[^\s\"(:]{1,500}?(?:\.pyx?|\.py\b))(?::(?P<line>\d{1,7}))?,? in "
        r"(?P<function>.{1,200}?)(?:\(|$)",
        r"^\s{0,8}(?P<file>(?:[A-Za-z]:)?[\w./\\~@+ -]{1,400}\.pyx?) in (?P<function>[\w.<>]{1,120})\(",
        r"^\s{0,8}(?P<file>(?:[A-Za-z]:)?[\w./\\~@+-]{1,400}\.pyx?):(?P<line>\d{1,7})"
        r"(?:: in| in (?P<function>[\w.<>]{1,120}))\s*$",
        r"^\s{0,8}(?P<file><ipython-input-[\w-]{1,60}>|Cell In ?\[\d{1,6}\]|Input In \[\d{1,6}\])"
        r"(?:,? line (?P<line>\d{1,7}))?(?: in (?P<function>[\w.<>]{1,120}))?",
        r"^\s{0,8}site-packages[\\/](?P<file>[\w./\\-]{1,300}\.py)\"?, line (?P<line>\d{1,7}), in (?P<function>\S{1,200})",
    )
)
_NAME = r"(?:[A-Za-z_]\w{0,80}\.|<locals>\.|<lambda>\.){0,12}"
_SUFFIX = r"(?:Error|Exception|Warning|Interrupt|Exit|Expired|Failed|Failure|Timeout|ExceptionGroup)"
_PLAIN = re.compile(rf"^(?P<type>{_NAME}(?:[A-Z]\w{{0,80}}?{_SUFFIX}|Exception))(?:(?:: ?|：)(?P<message>.*)|\s*)$", re.ASCII)
_AFTER_FRAMES = re.compile(
    rf"^(?P<type>{_NAME}(?:[A-Z]\w{{1,80}}|error|timeout|gaierror|herror))(?:: ?(?P<message>.*)|\s*)$",
    re.ASCII,
)
# A program that refuses its command line: argparse's `train.py: error: …`.
_USAGE = re.compile(r"^[\w./\\-]{1,200}\.py: (?P<type>error): (?P<message>\S.*)$", re.ASCII)
# Inside a line of other words: `报错：RuntimeError: …`, `file.py:134: UserWarning: …`, `E   ValueError: …`.
_EMBEDDED = re.compile(
    r"(?:^|[\s:：，,。；;「『“\"'`(（>\]])"
    rf"(?P<type>{_NAME}(?:[A-Z]\w{{0,80}}?(?:Error|Exception|Warning)|Exception))(?:: ?|：)(?P<message>\S.*)$",
    re.ASCII,
)
_CPLUSPLUS = re.compile(r"^\s{0,8}terminate called after throwing an instance of '(?P<type>[\w:]{1,120})'", re.ASCII)
_WHAT = re.compile(r"^\s{0,8}what\(\): {1,4}(?P<message>.*)$", re.ASCII)
_MESSAGE_BELOW = re.compile(r"^\s{0,8}(?!File )(?P<message>\S.*)$", re.ASCII)
# How a debugger of an editor announces it; the message stands below.
_DEBUGGER = re.compile(
    rf"^\s{{0,8}}(?:Exception has occurred|发生异常|發生例外狀況)[:：] ?(?P<type>{_NAME}[A-Za-z]\w{{0,80}})"
    r"\s*(?:\(note: .{0,200}\))?$",
    re.ASCII,
)
# What a shell says of a process that a signal ended: `run.sh: line 3: 4242 Killed   python train.py`.
_CRASH = re.compile(
    rf"^(?:[\w./-]{{1,100}}: line \d{{1,6}}: +\d{{1,8}} )?(?P<type>{'|'.join(CRASHES)})"
    r"(?: +\(core dumped\))?(?:\s{2,}\S.{0,400})?$",
    re.ASCII,
)
_QUOTED = re.compile(
    rf"\b(?P<type>{_NAME}[A-Z]\w{{0,80}}?(?:Error|Exception|Warning))\(\s?[rfbu]{{0,2}}"
    r"(?P<q>[\"'])(?P<message>[^\n]{4,}?)(?P=q)",
    re.ASCII,
)
_DIVIDER = re.compile(
    r"^\s{0,8}(?:[-=~*_─━╭╰┌└+]{3,}.{0,100}|Root Cause.{0,60}|Exception raised from .{0,200}|"
    r"frame #\d.{0,400}|#\d{1,3}:? .{0,400})$",
    re.ASCII,
)
_PROMPT = re.compile(r"^(?:>>> |\.\.\. |In ?\[\d{1,5}\]|\S{1,80}@\S{1,80}[:~].{0,100}[#$] ?)", re.ASCII)
_IGNORED = re.compile(r"^\s{0,4}Exception ignored (?:in|on)", re.ASCII)
# The words without which `_EMBEDDED` and `_QUOTED`, and without which `_PLAIN` cannot match: most lines hold none.
_ERROR_WORDS = re.compile(r"Error|Exception|Warning", re.ASCII)
_SUFFIX_WORDS = re.compile(r"Error|Exception|Warning|Interrupt|Exit|Expired|Fail|Timeout", re.ASCII)


class _Rare(NamedTuple):
    """Which of the rarer forms a text can hold at all: the patterns of the others need not be tried on its lines."""

    link: bool
    ignored: bool
    cplusplus: bool
    crash: bool
    debugger: bool
    usage: bool

    @classmethod
    def in_text(cls, text: str) -> "_Rare":
        return cls(
            link=any(phrase in text for phrase, _ in _LINKS),
            ignored="Exception ignored" in text,
            cplusplus="terminate called" in text,
            crash=any(crash in text for crash in CRASHES),
            debugger="Exception has occurred" in text or "发生异常" in text or "發生例外狀況" in text,
            usage=".py: error: " in text,
        )


def _frame(text: str) -> Frame | None:
    if "File " not in text and ".py" not in text and "nput" not in text and "Cell In" not in text:
        return None
    for pattern in _FRAMES:
        if match := pattern.match(text):
            found = match.groupdict()
            number, function = found.get("line"), found.get("function")
            return Frame(found["file"], int(number) if number else None, function.strip() if function else None)
    return None


def _unqualified(name: str) -> str:
    return name.rsplit("::", 1)[-1].rsplit(".", 1)[-1]


@dataclass
class _Parser:
    """State of one stream of lines that come from one rank."""

    lines: Sequence[Line]
    rare: _Rare
    found: list[Raised] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    start: int | None = None
    in_traceback: bool = False
    ignored: bool = False

    def run(self) -> list[Raised]:
        position = 0
        while position < len(self.lines):
            position = self._step(position)
        return self.found

    def _step(self, position: int) -> int:
        line = self.lines[position]
        text = line.text
        if not text or text.isspace():
            return position + 1
        if _HEADER in text:
            self._open(line)
            return position + 1
        if self.rare.link and self._link(text):
            return position + 1
        if self.rare.ignored and _IGNORED.match(text):
            self.ignored = True
            return position + 1
        if frame := _frame(text):
            self.frames.append(frame)
            self.in_traceback = True
            self.start = self.start or line.number
            if "arning" in text and (raised := _EMBEDDED.search(text)) and "arning" in raised["type"]:
                return self._close(position, raised["type"], raised["message"])
            return position + 1
        if self.rare.cplusplus and (cplusplus := _CPLUSPLUS.match(text)):
            return self._close_below(position, cplusplus["type"], _WHAT)
        if self.rare.crash and (crash := _CRASH.match(text.strip())):
            return self._record(position, position, crash["type"], "")
        if self.rare.debugger and (announced := _DEBUGGER.match(text)):
            return self._close_below(position, announced["type"], _MESSAGE_BELOW)
        if match := self._exception(text):
            return self._close(position, match["type"], match["message"] or "")
        return position + 1

    def _open(self, line: Line) -> None:
        self.frames, self.start, self.in_traceback = [], line.number, True

    def _link(self, text: str) -> bool:
        for phrase, link in _LINKS:
            if phrase in text:
                if self.found:
                    self.found[-1] = replace(self.found[-1], link=link)
                return True
        return False

    def _exception(self, text: str) -> re.Match[str] | None:
        """The exception that this line names, if it does; source lines are indented and do not count."""
        body = text[4:] if text.startswith("E   ") else text
        stripped = body.lstrip()
        indent = len(body) - len(stripped)
        if self.in_traceback and indent > 3:
            return None
        stripped = stripped.rstrip()
        if self.in_traceback and indent <= 1 and (match := _AFTER_FRAMES.match(stripped)):
            return match if self.frames or _PLAIN.match(stripped) else None
        if indent <= 3 and _SUFFIX_WORDS.search(stripped) and (match := _PLAIN.match(stripped)):
            return match
        usage = _USAGE.match(body) if self.rare.usage else None
        match = usage or (_EMBEDDED.search(body) if _ERROR_WORDS.search(body) else None)
        return match if match and "except " not in body and "raise " not in body else None

    def _close(self, position: int, name: str, message: str) -> int:
        parts, end = [message], position
        for following in range(position + 1, min(position + MAX_MESSAGE_LINES, len(self.lines))):
            text = self.lines[following].text
            if not text.strip() or self._ends_message(text):
                break
            parts.append(text)
            end = following
        return self._record(position, end, _unqualified(name), "\n".join(parts).strip())

    def _record(self, position: int, end: int, name: str, message: str) -> int:
        line = self.lines[position]
        self.found.append(
            Raised(
                type=name,
                message=message,
                line=line.number,
                start=self.start or line.number,
                end=self.lines[end].number,
                rank=line.rank,
                frames=tuple(self.frames),
                ignored=self.ignored or line.warned,
            ),
        )
        self.frames, self.start, self.in_traceback, self.ignored = [], None, False, False
        return end + 1

    def _close_below(self, position: int, name: str, below: re.Pattern[str]) -> int:
        """An exception whose message stands on the line after its name, if that line has the form of one."""
        following = position + 1
        found = below.match(self.lines[following].text) if following < len(self.lines) else None
        if found is None:
            return self._close(position, name, "")
        return self._close(following, name, found["message"])

    def _ends_message(self, text: str) -> bool:
        rare = self.rare
        return bool(
            _HEADER in text
            or (rare.link and any(phrase in text for phrase, _ in _LINKS))
            or _DIVIDER.match(text)
            or _PROMPT.match(text)
            or (rare.ignored and _IGNORED.match(text))
            or _frame(text)
            or (rare.cplusplus and _CPLUSPLUS.match(text))
            or (rare.crash and _CRASH.match(text))
            or HAN.match(text)  # no library goes on in Chinese: these are somebody's own words
            or (text[:1] not in " \t" and _SUFFIX_WORDS.search(text) and _PLAIN.match(text)),
        )


def _quoted(lines: Sequence[Line]) -> Iterator[Raised]:
    for line in lines:
        if "(" in line.text and _ERROR_WORDS.search(line.text) and (match := _QUOTED.search(line.text)):
            yield Raised(
                type=_unqualified(match["type"]),
                message=match["message"],
                line=line.number,
                start=line.number,
                end=line.number,
                rank=line.rank,
                quoted=True,
            )


def find_exceptions(lines: Sequence[Line]) -> list[Raised]:
    """Every exception in the lines, in order of appearance.

    Lines of different ranks are read apart, since launchers mix them line by line. Where nothing was raised
    but an exception's constructor is shown (`raise ValueError("…")` in a torn excerpt), that is returned.

    Args:
        lines: cleaned lines of the whole input.
    """
    streams: dict[int | None, list[Line]] = {}
    for line in lines:
        streams.setdefault(line.rank, []).append(line)
    rare = _Rare.in_text("\n".join(line.text for line in lines))
    found = [raised for stream in streams.values() for raised in _Parser(stream, rare).run()]
    found.sort(key=lambda raised: (raised.line, raised.start))
    return found or list(_quoted(lines))
