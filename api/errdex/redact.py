"""Takes secrets and personal parts out of a text, before anything is logged, embedded or stored.

Every pattern runs in linear time: no nested repetition, every repetition bounded or over a class that cannot
overlap with what follows it. Line structure is kept, so that line numbers stay those of the input.
"""

import re
from typing import NamedTuple


class Redacted(NamedTuple):
    """A text without its secrets."""

    text: str
    removed: int


class _Rule(NamedTuple):
    """`needle` is a cheap substring test: the pattern runs only when it is there (case folded)."""

    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    replacement: str


def _rule(needles: str, pattern: str, replacement: str, flags: int = 0) -> _Rule:
    return _Rule(tuple(needles.split(" ")), re.compile(pattern, flags | re.ASCII), replacement)


_KEY_NAMES = (
    r"(?:api[_-]?key|apikey|secret(?:[_-]?(?:access[_-]?)?key)?|access[_-]?(?:key|token)|auth[_-]?token|"
    r"password|passwd|pwd|private[_-]?key|client[_-]?secret|(?:hf|hub|github|gitlab|wandb|api|bot|session|refresh)[_-]token)"
)

_RULES = (
    _rule(
        "-----begin",
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[A-Za-z0-9+/=\s]{0,8000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?",
        "<private-key>",
    ),
    _rule("hf_", r"\bhf_[A-Za-z0-9]{16,}", "<hf-token>"),
    _rule("sk-", r"\bsk-[A-Za-z0-9_-]{16,}", "<api-key>"),
    _rule("ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"\b(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{16,}", "<github-token>"),
    _rule("glpat-", r"\bglpat-[A-Za-z0-9_-]{16,}", "<gitlab-token>"),
    _rule("xox", r"\bxox[abposr]-[A-Za-z0-9-]{10,}", "<slack-token>"),
    _rule("akia asia", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b", "<aws-key>"),
    _rule("aiza", r"\bAIza[A-Za-z0-9_-]{30,}", "<google-key>"),
    _rule("eyj", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*", "<jwt>"),
    _rule("bearer basic", r"\b(Bearer|Basic) [A-Za-z0-9._~+/=-]{8,}", r"\1 <credential>", re.IGNORECASE),
    _rule("://", r"(\b[a-z][a-z0-9+.-]{1,20}://)[^\s/@:]{1,200}:[^\s/@]{1,200}@", r"\1<credential>@", re.IGNORECASE),
    _rule(
        "key secret token passw pwd",
        rf"(\b[A-Za-z0-9_]{{0,40}}{_KEY_NAMES}[\"']?[ \t]{{0,3}}[=:][ \t]{{0,3}})"
        r"(?:\"[^\"\n]{4,500}\"|'[^'\n]{4,500}'|[^\s\"',;)<]{8,500})",
        r"\1<secret>",
        re.IGNORECASE,
    ),
    _rule("@", r"\b[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,6}\.[A-Za-z]{2,24}\b", "<email>"),
    _rule("/home/ /users/", r"(/(?:home|Users)/)(?!user/|runner/)[^/\s:\"']{1,64}(?=[/\s:\"']|$)", r"\1user"),
    _rule("\\users\\", r"(\b[A-Za-z]:\\{1,2}Users\\{1,2})(?!user\\)[^\\\s\"']{1,64}(?=\\)", r"\1user", re.IGNORECASE),
)
_IPV4 = re.compile(r"(?<![\w.-])(?<!==)(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d|-)", re.ASCII)
_LOCAL = ("127.", "0.0.0.0", "255.")
_AFTER_VERSION = re.compile(r"(?:version|driver|cudnn|cuda|nccl|release|v)[ :=]{0,3}$", re.IGNORECASE | re.ASCII)


def _redact_addresses(text: str) -> Redacted:
    count = 0

    def replace(match: re.Match[str]) -> str:
        nonlocal count
        address = match[0]
        is_version = _AFTER_VERSION.search(text, max(0, match.start() - 12), match.start())
        if is_version or address.startswith(_LOCAL) or any(int(part) > 255 for part in address.split(".")):
            return address
        count += 1
        return "<ip>"

    return Redacted(_IPV4.sub(replace, text), count)


def redact(text: str) -> Redacted:
    """Replace what must not leave the caller's machine.

    Args:
        text: any text; its number of lines stays the same unless a private key spans several.

    Returns:
        The text with placeholders such as `<hf-token>`, and how many there are.
    """
    count = 0
    folded = text.lower()
    for needles, pattern, replacement in _RULES:
        if any(needle in folded for needle in needles):
            text, found = pattern.subn(replacement, text)
            count += found
    text, found = _redact_addresses(text)
    return Redacted(text, count + found)
