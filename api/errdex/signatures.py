"""The exact stage: which known wordings stand in a text, where, and with which values."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from errdex.entry import Entry, Signature
from errdex.errors import CatalogError
from errdex.lines import Line
from errdex.patterns import PatternSet, compile_pattern

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


class SignatureMatcher:
    """All signatures of a catalog, searched in linear time."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        """Compile all patterns.

        Args:
            entries: whose signatures to search.

        Raises:
            CatalogError: some are no RE2 patterns; names each.
        """
        owned = [(entry, signature) for entry in entries for signature in entry.signature]
        self._owners = [(entry.id, signature) for entry, signature in owned]
        try:
            self._patterns = PatternSet((signature.pattern, signature.multiline) for _, signature in owned)
        except ValueError:
            raise CatalogError(list(_faults(owned))) from None

    def search(self, units: Sequence[Unit]) -> list[Hit]:
        """Every place where a signature stands.

        Args:
            units: pieces of the cleaned text, in order.

        Returns:
            Hits ordered by line, then entry id.
        """
        if not units:
            return []
        encoded = [unit.text.encode() for unit in units]
        whole = b"\n".join(encoded)
        starts = [0, *accumulate(len(text) + 1 for text in encoded[:-1])]
        best: dict[tuple[str, int, str], Hit] = {}
        for number in self._patterns.possible(whole):
            for hit in self._places(number, whole, starts, units):
                place = (hit.entry_id, hit.line, hit.text)
                best[place] = max(best.get(place, hit), hit, key=lambda known: known.worth)
        return sorted(best.values(), key=lambda hit: (hit.line, hit.entry_id))

    def _places(self, number: int, whole: bytes, starts: Sequence[int], units: Sequence[Unit]) -> Iterable[Hit]:
        entry_id, signature = self._owners[number]
        places: dict[int, Hit] = {}
        for match in self._patterns.matches(number, whole):
            place = bisect_right(starts, match.start()) - 1
            if place in places:
                continue
            unit = units[place]
            places[place] = Hit(
                entry_id=entry_id,
                generic=signature.generic,
                line=unit.line,
                text=unit.text.strip()[:_CONTEXT],
                length=len(match.group().decode()),
                captures=self._patterns.captures(number, match),
            )
            if len(places) == MAX_PLACES:
                break
        return places.values()


def _faults(owned: Iterable[tuple[Entry, Signature]]) -> Iterator[str]:
    """A finding for each signature that is no pattern."""
    for entry, signature in owned:
        try:
            compile_pattern(signature.pattern, signature.multiline)
        except ValueError as error:
            yield f"kb/entries/{entry.path}/entry.toml: signature: {error}"


_BLANKS = re.compile(r"[ \t\u3000]{2,}")
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


_CLASS = re.compile(r"\[\^?(?:\\.|[^\]\\])+\]")
_GROUP_HEAD = re.compile(r"\(\?(?:P<\w+>|:|[imsU-]+:?)")
_ESCAPE_CLASS = re.compile(r"\\[dDwWsSbBAzpPtnrfv](?:\{\^?\w+\})?")
_QUANTIFIER = re.compile(r"(?<!\\)(?:[*+?]\??|\{\d*,?\d*\}\??)")


def literal_words(pattern: str) -> str:
    """The words of a pattern, without its syntax: what a reader would recognise, for indexing."""
    text = _ESCAPE_CLASS.sub(" ", _CLASS.sub(" ", _GROUP_HEAD.sub("(", pattern)))
    text = _QUANTIFIER.sub("", text).replace("\\", "\x00")
    text = re.sub(r"(?<!\x00)[()|^$.]", " ", text)
    return " ".join(text.replace("\x00", "").split())
