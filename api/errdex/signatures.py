"""The exact stage: which known wordings stand in a text, where, and with which values. The only user of re2."""

import re as _re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

import re2

from errdex.entry import Entry, Signature
from errdex.errors import CatalogError
from errdex.lines import Line

_MEMORY = 8 << 20  # bytes for the automaton of one pattern; it grows with use, not up front
MAX_PLACES = 64  # places of one pattern that are looked at; a log repeats a line thousands of times
_CONTEXT = 600  # characters of a place that are kept as evidence


class Unit(NamedTuple):
    """A piece of text to search: one cleaned line, or an exception's message joined to one line."""

    line: int
    text: str


class Hit(NamedTuple):
    """One pattern found in one place.

    Attributes:
        entry_id: the entry that owns the pattern.
        generic: whether the pattern matches only a shape.
        line: line of the input, from 1.
        text: the cleaned line.
        length: characters matched; a longer match is more specific.
        captures: named values.
    """

    entry_id: str
    generic: bool
    line: int
    text: str
    length: int
    captures: dict[str, str]

    @property
    def worth(self) -> tuple[bool, int, int]:
        """How much it says, among hits in one place: specific, longest, with the most values."""
        return (not self.generic, self.length, len(self.captures))


def _options(multiline: bool) -> "re2.Options":
    options = re2.Options()
    options.never_nl = not multiline
    options.max_mem = _MEMORY
    options.log_errors = False
    return options


def compile_pattern(pattern: str, multiline: bool = False) -> "re2._Regexp[str]":
    r"""Compile one signature.

    Args:
        pattern: RE2 syntax.
        multiline: whether a match may run over a line's end; else `\s` and negated classes stop there.

    Raises:
        ValueError: it is no RE2 pattern; says why.
    """
    try:
        return re2.compile(f"(?m){pattern}", _options(multiline))
    except re2.error as error:
        reason = error.args[0] if error.args else "unknown reason"
        raise ValueError(f"not an RE2 pattern: {reason.decode() if isinstance(reason, bytes) else reason}") from error


def _fault(signature: Signature) -> str:
    """Why a signature is no pattern."""
    try:
        compile_pattern(signature.pattern, signature.multiline)
    except ValueError as error:
        return str(error)
    return "not an RE2 pattern"


class SignatureMatcher:
    """All signatures of a catalog, searched in linear time.

    One pass over the text finds the words without which a pattern cannot match; only patterns whose words stand there are
    searched themselves. (One automaton of all patterns would build new states for each text that it has not seen: 24 ms
    for 2 kB of them, and hundreds of megabytes in time.)
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        """Compile all patterns.

        Args:
            entries: whose signatures to search.

        Raises:
            CatalogError: some are no RE2 patterns; names each.
        """
        self._owners: list[tuple[str, Signature]] = []
        self._filter = re2.Filter()
        findings: list[str] = []
        for entry in entries:
            for signature in entry.signature:
                try:
                    self._filter.Add(f"(?m){signature.pattern}", _options(signature.multiline))
                except re2.error:
                    findings.append(f"kb/entries/{entry.path}/entry.toml: signature: {_fault(signature)}")
                self._owners.append((entry.id, signature))
        if findings:
            raise CatalogError(findings)
        if self._owners:
            self._filter.Compile()
        self._patterns = [self._filter.re(number) for number in range(len(self._owners))]
        self._names = [tuple(pattern.groupindex.items()) for pattern in self._patterns]

    def search(self, units: Sequence[Unit]) -> list[Hit]:
        """Every place where a signature stands.

        Args:
            units: pieces of the cleaned text, in order.

        Returns:
            Hits ordered by line, then entry id.
        """
        if not self._owners or not units:
            return []
        # In bytes: the library would encode the text for each pattern anew.
        encoded = [unit.text.encode() for unit in units]
        whole = b"\n".join(encoded)
        starts = [0, *accumulate(len(text) + 1 for text in encoded[:-1])]
        possible: list[int] = self._filter.Match(whole, potential=True) or []
        best: dict[tuple[str, int, str], Hit] = {}
        for index in sorted(possible):
            for hit in self._places(index, whole, starts, units):
                place = (hit.entry_id, hit.line, hit.text)
                best[place] = max(best.get(place, hit), hit, key=lambda known: known.worth)
        return sorted(best.values(), key=lambda hit: (hit.line, hit.entry_id))

    def _places(self, index: int, whole: bytes, starts: Sequence[int], units: Sequence[Unit]) -> Iterable[Hit]:
        entry_id, signature = self._owners[index]
        names = self._names[index]
        places: dict[int, Hit] = {}
        for match in self._patterns[index].finditer(whole):
            number = bisect_right(starts, match.start()) - 1
            if number in places:
                continue
            unit = units[number]
            places[number] = Hit(
                entry_id=entry_id,
                generic=signature.generic,
                line=unit.line,
                text=unit.text.strip()[:_CONTEXT],
                length=len(match.group().decode()),
                captures={name: value.decode() for name, group in names if (value := match.group(group))},
            )
            if len(places) == MAX_PLACES:
                break
        return places.values()


_BLANKS = _re.compile(r"[ \t\u3000]{2,}")
_TYPED = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | str.maketrans("“”‘’\u3000", "\"\"'' ")


def units_of(lines: Sequence[Line], messages: Iterable[tuple[int, str]]) -> list[Unit]:
    """What to search: each line, each exception's `Type: message` joined to one line, and both as a person may have typed them.

    Args:
        lines: cleaned lines.
        messages: line number and text of each exception.
    """
    units: list[Unit] = []
    typed: list[Unit] = []
    seen: set[str] = set()
    for number, _, text, _ in lines:
        if stripped := text.strip():
            units.append(Unit(number, text))
            seen.add(stripped)
            if (plain := _plain(stripped)) != stripped:
                typed.append(Unit(number, plain))
    for number, message in messages:
        joined = " ".join([part.strip() for part in message.split("\n")])
        if joined not in seen:
            units.append(Unit(number, joined))
            if (plain := _plain(joined)) != joined.strip():
                typed.append(Unit(number, plain))
    return units + typed


def _plain(text: str) -> str:
    """Full-width letters and marks, curly quotes and runs of blanks as a program would have printed them."""
    if text.isascii() and "  " not in text and "\t" not in text:
        return text.strip()
    return _BLANKS.sub(" ", text.translate(_TYPED)).strip()


_CLASS = _re.compile(r"\[\^?(?:\\.|[^\]\\])+\]")
_GROUP_HEAD = _re.compile(r"\(\?(?:P<\w+>|:|[imsU-]+:?)")
_ESCAPE_CLASS = _re.compile(r"\\[dDwWsSbBAzpPtnrfv](?:\{\^?\w+\})?")
_QUANTIFIER = _re.compile(r"(?<!\\)(?:[*+?]\??|\{\d*,?\d*\}\??)")


def literal_words(pattern: str) -> str:
    """The words of a pattern, without its syntax: what a reader would recognise, for indexing."""
    text = _ESCAPE_CLASS.sub(" ", _CLASS.sub(" ", _GROUP_HEAD.sub("(", pattern)))
    text = _QUANTIFIER.sub("", text).replace("\\", "\x00")
    text = _re.sub(r"(?<!\x00)[()|^$.]", " ", text)
    return " ".join(text.replace("\x00", "").split())
