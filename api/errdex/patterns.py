"""Patterns that are searched in linear time, whatever the text: the only user of re2."""

from collections.abc import Iterable, Iterator

import re2

_MEMORY = 8 << 20  # bytes for the automaton of one pattern; it grows with use, not up front


def _options(*, multiline: bool = False) -> "re2.Options":
    options = re2.Options()
    options.never_nl = not multiline
    options.max_mem = _MEMORY
    options.log_errors = False
    return options


def compile_pattern(pattern: str, multiline: bool = False) -> "re2._Regexp[str]":
    r"""Compile one pattern.

    Args:
        pattern: RE2 syntax.
        multiline: whether a match may run over a line's end; else `\s` and negated classes stop there.

    Raises:
        ValueError: it is no RE2 pattern; says why.
    """
    try:
        return re2.compile(f"(?m){pattern}", _options(multiline=multiline))
    except re2.error as error:
        reason = error.args[0] if error.args else "unknown reason"
        raise ValueError(f"not an RE2 pattern: {reason.decode() if isinstance(reason, bytes) else reason}") from error


class PatternSet:
    """Many patterns, and in one pass over a text those that can stand in it.

    The pass finds the words without which a pattern cannot match. (One automaton of all patterns would build new states for
    each text that it has not seen: for 500 patterns 24 ms for 2 kB, and hundreds of megabytes in time.)
    """

    def __init__(self, patterns: Iterable[tuple[str, bool]]) -> None:
        """Compile all patterns, each with whether it is multiline.

        Raises:
            ValueError: one is no RE2 pattern; says why.
        """
        self._filter = re2.Filter()
        count = 0
        for pattern, multiline in patterns:
            try:
                self._filter.Add(f"(?m){pattern}", _options(multiline=multiline))
            except re2.error:
                compile_pattern(pattern, multiline)  # this one says why
                raise
            count += 1
        if count:
            self._filter.Compile()
        self._patterns = [self._filter.re(number) for number in range(count)]
        self._names = [tuple(pattern.groupindex.items()) for pattern in self._patterns]

    def __len__(self) -> int:
        return len(self._patterns)

    def possible(self, data: bytes) -> list[int]:
        """Numbers of the patterns that may stand in a text, in order.

        Args:
            data: the text in UTF-8: for each pattern it would be encoded anew.
        """
        found: list[int] = self._filter.Match(data, potential=True) or [] if self._patterns else []
        return sorted(found)

    def matches(self, number: int, data: bytes) -> Iterator["re2._Match[bytes]"]:
        """Every match of one pattern, in order."""
        return self._patterns[number].finditer(data)

    def search(self, number: int, data: bytes, start: int) -> "re2._Match[bytes] | None":
        """The first match of one pattern that begins at a byte or behind it."""
        return self._patterns[number].search(data, start)

    def captures(self, number: int, match: "re2._Match[bytes]") -> dict[str, str]:
        """What the named groups of a match hold, where they hold something."""
        return {name: value.decode() for name, group in self._names[number] if (value := match.group(group))}


class Finder:
    """Finds the lines in which one pattern stands."""

    def __init__(self, pattern: str) -> None:
        """Compile the pattern; a match never runs over a line's end."""
        self._pattern = compile_pattern(pattern)

    def lines(self, text: str) -> Iterator[int]:
        """Position of each line that holds a match, in order."""
        data = text.encode(errors="replace")  # half a character is in no pattern
        start = line = 0
        while (match := self._pattern.search(data, start)) is not None:
            line += data.count(b"\n", start, match.start())
            yield line
            end = data.find(b"\n", match.end())
            if end < 0:
                return
            start, line = end + 1, line + 1
