"""Which words must stand in a text before a pattern can match it: what the browser looks for first."""

import re
from dataclasses import dataclass

_FLAGS = re.compile(r"^(?:\(\?[ims]+\))+")
_TOKEN = re.compile(
    r"(?P<open>\((?:\?P<\w+>|\?:|\?[ims]+:)?)|(?P<close>\))|(?P<bar>\|)"
    r"|(?P<optional>(?:[*?]|\{0(?:,\d*)?\})\??)|(?P<repeat>(?:\+|\{\d+(?:,\d*)?\})\??)"
    r"|(?P<any>\[\^?\]?(?:\\.|[^\]\\])*\]|\\x[0-9A-Fa-f]{2}|\\[A-Za-z]|[.^$])"
    r"|(?P<char>\\.|.)",
    re.ASCII | re.DOTALL,
)
_SHORTEST = 4  # characters; a shorter one stands in too many lines to be worth looking for


@dataclass
class _Parser:
    """Walks over the tokens of one pattern."""

    tokens: list[tuple[str, str]]
    position: int = 0

    def alternatives(self) -> frozenset[str]:
        """One of these stands in whatever the alternatives from here on match; empty when nothing is known."""
        branches = [self._sequence()]
        while self._kind() == "bar":
            self.position += 1
            branches.append(self._sequence())
        self.position += 1  # the closing bracket, or the end
        return frozenset().union(*branches) if all(branches) else frozenset()

    def _kind(self) -> str:
        return self.tokens[self.position][0] if self.position < len(self.tokens) else ""

    def _sequence(self) -> frozenset[str]:
        found: list[frozenset[str]] = []
        run = ""
        while (kind := self._kind()) not in ("", "bar", "close"):
            text = self.tokens[self.position][1]
            self.position += 1
            if kind == "open":
                inner = self.alternatives()
                found += [frozenset({run}), inner if self._kind() != "optional" else frozenset()]
                run = ""
            elif kind == "char" and self._kind() != "optional":
                run += text[-1]
                if self._kind() == "repeat":
                    found.append(frozenset({run}))
                    run = ""
            else:
                found.append(frozenset({run}))
                run = ""
        found.append(frozenset({run}))
        return max(found, key=lambda texts: (min(map(len, texts), default=0), sorted(texts)))


def needles(pattern: str) -> list[str]:
    """Texts in lower case, one of which stands in everything that the pattern matches.

    Args:
        pattern: a signature, in the syntax that RE2 and JavaScript share.

    Returns:
        The texts in order; empty when the pattern needs none that is long enough to look for.
    """
    bare = _FLAGS.sub("", pattern)
    parser = _Parser([(match.lastgroup or "", match[0]) for match in _TOKEN.finditer(bare)])
    texts = sorted({text.lower() for text in parser.alternatives()})
    return texts if texts and min(map(len, texts)) >= _SHORTEST else []
