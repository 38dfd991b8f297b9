"""What makes two unanswered texts the same error: its type, and its message without what differs from run to run."""

import hashlib
import math
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from errdex.lexical import tokenize
from errdex.normalize import normalize

Kind = Literal["error", "line", "question"]

ALIKE = 0.8  # share of tokens in common (Jaccard) from which on two messages of one type are one error
MAX_MESSAGE = 300  # characters of a normalised message; what stands behind them differs by what else was printed
_MAX_READ = 800  # characters of a message that are normalised
_FEWEST = 4  # tokens; shorter messages are compared as they stand, since one word more or less makes another error

_FOLDERS = r"(?<![\w.~@+-])(?:[a-z]:)?[\w.~@+-]{0,100}(?:[\\/][\w.@+~-]{1,100}){0,30}[\\/]"
# Of a file, what says which kind it is; of a library or a source file, its name too.
_PATHS = tuple(
    (re.compile(pattern, re.ASCII | re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"[a-z][a-z0-9+.-]{1,20}://[^\s'\"<>)\]]{1,400}", "<url>"),
        (rf"{_FOLDERS}([\w@+~-]{{1,80}}\.(?:so|py|cpp|cu|cc|c|h)\b[\w.]{{0,20}})", r"\1"),
        (rf"{_FOLDERS}[\w@+~.-]{{0,80}}(\.[a-z]\w{{1,11}})\b", r"<path>\1"),
        (r"(?<![\w<])[\\/][\w.@+~-]{1,100}(?:[\\/][\w.@+~-]{0,100}){0,30}", "<path>"),
    )
)
# In this order: what is longer and more telling is taken out first.
_PLACEHOLDERS = tuple(
    (re.compile(pattern, re.ASCII), replacement)
    for pattern, replacement in (
        (r"\[enforce fail at [^\]\n]{1,100}\]", "<place>"),
        (
            r"(?:torch\.)?size\(\[[\d, ]{0,200}\]\)|[\[(]\d{1,12}(?:, ?\d{1,12}){0,20},?[\])]|[\[(]\d{1,12}[\])]|\[\]|\(\)",
            "<shape>",
        ),
        (r"<(?:function|class|object|module|bound method|built-in)? ?[\w.<> ]{1,200} at 0x>", "<object>"),
        (r"\b0x\b", "<hex>"),
        (r"\b(?=[a-f]{0,40}\d)(?=\d{0,40}[a-f])[0-9a-f]{8,64}\b", "<hex>"),
        (r"(?<![\w.])(?!\S{0,100}\.so\b)[a-z_]\w{0,80}(?:\.[a-z_]\w{0,80}){0,12}\.\d{1,6}(?:\.\w{1,80}){1,12}", "<name>"),
        (r"(?<![\w.])[-+]?\d[\d_,.]{0,30}(?:e[-+]?\d{1,4})?(?=[kmgt]i?b\b|gib\b|\b|%)", "<n>"),
        (r"(?<=:)\d{1,12}\b", "<n>"),
    )
)
_QUOTED = re.compile(r"(?<!\w)(?:'([^'\n]{1,120})'|\"([^\"\n]{1,120})\"|`([^`\n]{1,120})`)(?!\w)", re.ASCII)
_REPEATED = re.compile(r"(['\"]?<(?:name|value|shape)>['\"]?)(?:(?:,|\.{3})? ?\1){1,200}", re.ASCII)
_NAME = re.compile(r"[a-z_][\w.]{0,60}", re.ASCII)
_PLACEHOLDER = re.compile(r"<\w+>", re.ASCII)
_TYPOGRAPHIC = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "（": "(", "）": ")", "：": ":", "，": ","})


def _value(quoted: re.Match[str]) -> str:
    """A quoted name of a module, an attribute or an argument says which error it is; any other value does not."""
    return quoted[0] if _NAME.fullmatch(quoted[1] or quoted[2] or quoted[3]) else "<value>"


def normalized_message(message: str) -> str:
    """A message as it is compared: lower case, one line, placeholders for whatever differs from run to run."""
    line = " ".join(message[:_MAX_READ].translate(_TYPOGRAPHIC).split())
    for pattern, replacement in _PATHS:
        line = pattern.sub(replacement, line)
    text = normalize(line).lower()
    # Where a quoted value is all there is (`KeyError: 'two words'`), it tells the errors apart after all.
    text = _QUOTED.sub(lambda found: found[0] if found[0] == text else _value(found), text)
    for pattern, replacement in _PLACEHOLDERS:
        text = pattern.sub(replacement, text)
    text = _REPEATED.sub(r"\1", text)
    return " ".join(text.split())[:MAX_MESSAGE].strip(" .:;,!?-")


@lru_cache(maxsize=8192)
def _tokens(message: str) -> frozenset[str]:
    return frozenset(tokenize(_PLACEHOLDER.sub(" ", message)))


@dataclass(frozen=True)
class Fingerprint:
    """Identity of an unanswered error.

    Attributes:
        kind: `error` (an exception), `line` (an error line of a program), `question` (somebody's words).
        type: exception type; None where there is none.
        message: normalised message.
    """

    kind: Kind
    type: str | None
    message: str

    @cached_property
    def key(self) -> str:
        """Equal for equal errors, on every machine."""
        return hashlib.sha256(f"{self.kind}\n{self.type or ''}\n{self.message}".encode()).hexdigest()[:32]

    @cached_property
    def tokens(self) -> frozenset[str]:
        """The words of the message; placeholders are none."""
        return _tokens(self.message)

    @cached_property
    def buckets(self) -> tuple[str, ...]:
        """Where errors like this one are looked for: any two that are alike share at least one bucket.

        Two sets of which at least `ALIKE` is common must have a token in common among the first few of any fixed order;
        the longest first is a good order, since long words are rare.
        """
        if len(self.tokens) < _FEWEST:
            return ()
        ordered = sorted(self.tokens, key=lambda token: (-len(token), token))
        first = len(ordered) - math.ceil(ALIKE * len(ordered)) + 1
        return tuple(f"{self.kind}:{self.type or ''}:{token}"[:160] for token in ordered[:first])

    def alike(self, other: "Fingerprint") -> float:
        """Share of the tokens that both have, from 0 to 1; 0 for another kind or type."""
        if (self.kind, self.type) != (other.kind, other.type) or min(len(self.tokens), len(other.tokens)) < _FEWEST:
            return float(self.key == other.key)
        return len(self.tokens & other.tokens) / len(self.tokens | other.tokens)
