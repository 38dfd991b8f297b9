"""Takes secrets and personal parts out of a text, before anything is logged, embedded or stored.

Two passes of RE2 over the whole text tell which rules can find something. In most logs none can, and nothing else happens;
else one pass for each of these tells where, and in a long text it runs only on the blocks of whole lines that hold such a
place. Lines keep their numbers.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from errdex import assignments, credentials, personal
from errdex.credentials import PRIVATE_KEY
from errdex.patterns import PatternSet, compile_pattern
from errdex.rule import Rule


class Redacted(NamedTuple):
    """A text without its secrets."""

    text: str
    removed: int


# In the order in which they run.
RULES: tuple[Rule, ...] = (*credentials.CREDENTIALS, *assignments.ASSIGNMENTS, *personal.PERSONAL)

_KEYS = 0  # number of the rule for private keys, which run over many lines; the others count from 1
_BLOCK = 4096  # characters from which on a block ends with the next line
_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE}

_COLOUR = re.compile(r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)|[@-Z\\^_])", re.ASCII)
_LOCAL = ("127.", "0.0.0.0", "255.")
_CONTEXT = 80  # characters before and behind a match that a check may look at
_AFTER_VERSION = re.compile(
    r"(?:version|driver|cudnn|cuda|nccl|release|v)[ :=]{0,3}$|(?:^|\n)[A-Za-z][\w.-]{1,60} {2,60}$",
    re.IGNORECASE | re.ASCII,
)
_HAS_LETTER = re.compile(r"[A-Fa-f:]", re.ASCII)
_ALL_SAME = re.compile(r"[0:-]{1,20}|[fF:-]{1,20}", re.ASCII)
# Names that say only which one of several it is; launchers put them before lines.
_NEUTRAL_HOST = re.compile(r"(?:localhost|node|worker|host|rank|master|gpu|trainer|head)[_-]?\d{0,5}", re.ASCII)
# A module's name has neither a hyphen nor, as a rule, a number at the end of a part; a machine's often has.
_MACHINE = re.compile(r"-|\d{1,10}\.|svc\.cluster\.local$", re.ASCII)
_QUOTES = "\"'"
_MARKER = re.compile(r"\\?b?[\"'](?:[<\[{$*]|None|True|False|null)", re.ASCII)
_CODE = re.compile(
    r"(?:None|True|False|null|true|false|nil|undefined|self|os|args|config|cfg|settings|str|int|bytes|bool|env|kwargs|opts?|"
    r"options|Optional|Union|SecretStr|string|redacted|required|missing|invalid|incorrect|password|passwd|not|getpass)\b|"
    r"[$*%]|[A-Za-z_]{1,60}(?:\.[A-Za-z_]{1,60}){1,6}$",
    re.ASCII,
)
_DIGIT = re.compile(r"\d", re.ASCII)
_LETTERS = re.compile(r"[A-Za-z+/=-]{20,2000}", re.ASCII)
_TOKEN = re.compile(r"[A-Za-z0-9._~+/=:-]{0,2000}[A-Za-z][A-Za-z0-9._~+/=:-]{0,2000}", re.ASCII)
_MARK = re.compile(r"[\d!@#$%^&*+~]", re.ASCII)
_AFTER_SCHEME = re.compile(r"://$", re.ASCII)
_BEFORE_PORT = re.compile(r"^:\d{2,5}(?!\d)", re.ASCII)


def _is_address(found: str, before: str, behind: str) -> bool:
    """Four numbers that are no version and no address of the machine itself."""
    local = found.startswith(_LOCAL) or any(int(part) > 255 for part in found.split("."))
    return not local and not _AFTER_VERSION.search(before)


def _is_hardware(found: str, before: str, behind: str) -> bool:
    """Six bytes with a letter or colons among them, and not all alike."""
    return bool(_HAS_LETTER.search(found)) and not _ALL_SAME.fullmatch(found)


def _is_domain(found: str, before: str, behind: str) -> bool:
    """A name of a machine, not of a module (`google.protobuf.internal`) or an attribute (`threading.local`)."""
    if found.startswith("localhost."):
        return False
    return bool(_MACHINE.search(found) or _AFTER_SCHEME.search(before) or _BEFORE_PORT.search(behind))


def _is_host(found: str, before: str, behind: str) -> bool:
    return not _NEUTRAL_HOST.fullmatch(found)


def _is_prompt(found: str, before: str, behind: str) -> bool:
    return found != "user@host"


def _is_card(found: str, before: str, behind: str) -> bool:
    """Luhn's check: every second digit from the right counts twice."""
    digits = [int(character) for character in reversed(found) if character.isdecimal()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


def _is_value(found: str, behind: str) -> bool:
    """No word of a program or of a sentence, and no call or item of something."""
    return not _CODE.match(found) and behind[:1] not in "([{<" if behind else not _CODE.match(found)


def _is_secret(found: str, before: str, behind: str) -> bool:
    """What a name calls a secret: in quotes, with a number in it, or long and without a break."""
    if found[-1] in _QUOTES:
        return len(found) >= 8 and not _MARKER.match(found)
    return len(found) >= 8 and _is_value(found, behind) and bool(_DIGIT.search(found) or _LETTERS.fullmatch(found))


def _is_token(found: str, before: str, behind: str) -> bool:
    """What might be called a token, but is one only if it looks like one: long, letters and numbers."""
    value = found.strip("b\\\"'")
    return len(value) >= 16 and bool(_TOKEN.fullmatch(value) and _DIGIT.search(value)) and _is_value(value, behind)


def _is_password(found: str, before: str, behind: str) -> bool:
    return not _MARKER.match(found) if found[-1] in _QUOTES else _is_value(found, behind)


def _is_marked(found: str, before: str, behind: str) -> bool:
    """A password behind a blank could be a word of a sentence: it has a number or a mark in it, or quotes around it."""
    return _is_password(found, before, behind) and (found[-1] in _QUOTES or bool(_MARK.search(found)))


_CHECKS: dict[str, Callable[[str, str, str], bool]] = {
    "address": _is_address,
    "mac": _is_hardware,
    "domain": _is_domain,
    "host": _is_host,
    "prompt": _is_prompt,
    "luhn": _is_card,
    "secret": _is_secret,
    "token": _is_token,
    "password": _is_password,
    "marked": _is_marked,
}


class _Gate:
    """Tells in two passes which rules can find something: one looks for the words of all hints, one for hints without any."""

    def __init__(self) -> None:
        rules = (PRIVATE_KEY, *RULES)
        hints = [f"(?{rule.flags}){rule.hint}" if rule.flags else rule.hint for rule in rules]
        self._hints = PatternSet((hint, True) for hint in hints)
        wordless = self._hints.possible(b"")
        # Of these a single character must stand in the text; the rest are shapes, searched for all at once.
        self._marks = {number: rules[number].needle.encode() for number in wordless if len(rules[number].needle) == 1}
        self._shapes = frozenset(wordless) - self._marks.keys()
        self._any_shape = compile_pattern("|".join(f"(?:{hints[number]})" for number in sorted(self._shapes)), multiline=True)

    def likely(self, data: bytes) -> list[int]:
        """Numbers of the rules whose words stand in a text, in their order: most do not go on to find anything."""
        shaped = self._any_shape.search(data) is not None
        found = self._hints.possible(data)
        return [n for n in found if (shaped or n not in self._shapes) and self._marks.get(n, b"") in data]

    def place(self, number: int, data: bytes, start: int) -> int:
        """The first byte from `start` on where a rule's whole hint stands; -1 where there is none."""
        match = self._hints.search(number, data, start)
        return -1 if match is None else match.start()


@cache
def _gate() -> _Gate:
    return _Gate()


def _coded(text: str) -> bytes:
    return text.encode("utf-8", errors="replace")


@cache
def _compiled(rule: Rule) -> re.Pattern[str]:
    """A rule's pattern, compiled when a text first needs it: all together take longer than a server's start should."""
    flags = re.ASCII
    for letter in rule.flags:
        flags |= _FLAGS[letter]
    return re.compile(rule.pattern, flags)


def _without(rule: Rule, text: str) -> tuple[str, int]:
    """A text without what one rule finds, and how much that was."""
    pattern = _compiled(rule)
    if not rule.check:
        return pattern.subn(rule.replacement, text)
    holds = _CHECKS[rule.check]
    count = 0

    def replace(match: re.Match[str]) -> str:
        nonlocal count
        start, end = match.span()
        kept = (match[1] or "") if pattern.groups else ""
        if not holds(match[0][len(kept) :], text[max(0, start - _CONTEXT) : start], text[end : end + _CONTEXT]):
            return match[0]
        count += 1
        return rule.replacement.replace("\\1", kept)

    return pattern.sub(replace, text), count


def _without_private_keys(text: str) -> tuple[str, int]:
    def replace(match: re.Match[str]) -> str:
        return PRIVATE_KEY.replacement + "\n" * match[0].count("\n")

    return _compiled(PRIVATE_KEY).subn(replace, text)


def _blocks(text: str) -> list[str]:
    """The text in pieces of whole lines; a line is never cut, however long it is."""
    blocks = []
    start = 0
    while start < len(text):
        end = text.find("\n", start + _BLOCK) + 1 or len(text)
        blocks.append(text[start:end])
        start = end
    return blocks


def _rules_of(blocks: Sequence[str], numbers: Iterable[int]) -> list[list[int]]:
    """For each block those of some rules whose whole hint begins in it, in their order."""
    coded = [_coded(block) for block in blocks]
    data, ends = b"".join(coded), list(accumulate(map(len, coded)))
    found: list[list[int]] = [[] for _ in blocks]
    for number in numbers:
        start = 0
        while (byte := _gate().place(number, data, start)) >= 0:
            block = bisect_right(ends, byte)
            found[block].append(number)
            start = ends[block]
    return found


def redact(text: str) -> Redacted:
    """Replace what must not leave the caller's machine.

    Args:
        text: any text; it keeps its number of lines.

    Returns:
        The text with placeholders such as `<hf-token>`, and how many there are.
    """
    if "\x1b" in text:
        text = _COLOUR.sub("", text)  # it would stand inside a secret, or look like a letter before it
    likely = _gate().likely(_coded(text))
    if not likely:
        return Redacted(text, 0)
    count = 0
    if likely[0] == _KEYS:
        text, count = _without_private_keys(text)
    blocks = [text] if len(text) <= 2 * _BLOCK else _blocks(text)
    for place, numbers in enumerate(_rules_of(blocks, likely)):
        for number in numbers:
            if number != _KEYS:
                blocks[place], found = _without(RULES[number - 1], blocks[place])
                count += found
    return Redacted("".join(blocks), count)
