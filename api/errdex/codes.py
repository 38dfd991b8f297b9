"""Codes that an error prints: numbers and symbolic names, found in an entry's patterns and in what its samples print, by rule.

A line or pattern holds a code where one of `_RULES` matches it, its backslashes left out. A rule names the code by its
first group that took part. A signal may also be written as the system describes it (`Killed`, `Bus error`).
"""

import errno
import re
import signal
from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

from errdex.entry import Entry
from errdex.wording import printed

Kind = Literal["xid", "nccl", "gpu", "cuda", "exit", "signal", "errno", "http"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_LARGEST_SMALL_EXIT = 0xFFFF
_SIGNALS = {name: member for member in signal.Signals if (name := signal.strsignal(member))}
_SIGNAL_NAMES = "|".join(member.name for member in signal.Signals)
_RULES: dict[Kind, re.Pattern[str]] = {
    "xid": re.compile(r"\bXid\b(?: ?\(PCI:[^)]*\))?:? ?(\d{1,3})\b"),
    "nccl": re.compile(r"\b(nccl(?:[A-Z][a-z]+)*(?:Error|InvalidArgument|InvalidUsage))\b"),
    "gpu": re.compile(r"\b(cudaError[A-Z]\w+|[A-Z]+(?:_[A-Z]+)?_ERROR_[A-Z][A-Z_]+|CU[A-Z]+_STATUS_[A-Z_]+)\b"),
    "cuda": re.compile(r"(?i:\bcuda\b.{0,200}?\berror:?) (\d{1,4})\b"),
    "exit": re.compile(r"(?i:\bexit ?(?:code|status)) ?[:=]? ?\(?(-?\d+)\b"),
    "signal": re.compile(rf"\b({_SIGNAL_NAMES})\b|\bsignal: ({'|'.join(map(re.escape, _SIGNALS))})"),
    "errno": re.compile(r"(?:(?:\b[Ee]|\[Ee\])rrno|\bos error)(?: =)? (\d{1,3})\b"),
    "http": re.compile(r"\b(?:HTTP(?: Error)?|[Ss]tatus(?: code)?):? ([45]\d\d)\b|\b([45]\d\d) (?:Client|Server) Error\b"),
}


class Code(NamedTuple):
    """One code: what kind it is of, and its number or name."""

    kind: Kind
    value: str

    @property
    def label(self) -> str:
        """The code with the name that the system gives it (`24 EMFILE`), an exit code of Windows as it is looked up."""
        name = None
        if self.kind == "errno":
            name = errno.errorcode.get(int(self.value))
        elif self.kind == "exit" and int(self.value) > _LARGEST_SMALL_EXIT:
            name = f"0x{int(self.value):X}"
        return f"{self.value} {name}" if name else self.value

    @property
    def order(self) -> tuple[int, float, str]:
        """Codes of a kind stand together, numbers by their size."""
        number = float(self.value) if re.fullmatch(r"-?\d+", self.value) else 0.0
        return (KINDS.index(self.kind), number, self.value)


def codes_in(text: str) -> Iterator[Code]:
    """The codes in a message or in a pattern."""
    plain = text.replace("\\b", " ").replace("\\", "")
    for kind, rule in _RULES.items():
        for match in rule.finditer(plain):
            value = next(group for group in match.groups() if group)
            yield Code(kind, _SIGNALS[value].name if value in _SIGNALS else value)


def entry_codes(entry: Entry) -> list[Code]:
    """The codes of an entry, each once, in order."""
    texts = [signature.pattern for signature in entry.signature] + printed(entry)
    return sorted({code for text in texts for code in codes_in(text)}, key=lambda code: code.order)
