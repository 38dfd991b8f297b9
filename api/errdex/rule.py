r"""One rule of what must not leave the caller's machine, and the wider pattern that tells in one pass whether it can match.

A rule runs in linear time: no nested repetition, every repetition bounded or over a class that cannot overlap with what
follows it. None but that of private keys crosses the end of a line. Patterns stay within what Python and JavaScript share;
without their lookarounds they stay within RE2, too.
"""

import re
from typing import NamedTuple


class Rule(NamedTuple):
    r"""One kind of thing to remove.

    Attributes:
        kind: what it removes, as the documentation names it.
        pattern: Python syntax with ASCII classes.
        replacement: what stands there instead; `\1` is the first group, which is kept.
        flags: `i` if the case of letters does not matter, `m` if `^` and `$` are those of a line.
        check: name of a test that a match must pass, where a pattern alone cannot tell.
        needle: what stands, in small letters, in every match of a pattern that begins with nothing in particular; a browser,
            which has no RE2, looks for it first.
    """

    kind: str
    pattern: str
    replacement: str
    flags: str = ""
    check: str = ""
    needle: str = ""

    @property
    def hint(self) -> str:
        """A wider pattern without lookarounds: it is found in every text in which the rule finds something.

        What must follow the whole match stays, as a part of it.
        """
        kept: list[str] = []
        depth = skipped = 0
        parts = _PART.findall(self.pattern)
        for place, part in enumerate(parts):
            if part.startswith("("):
                depth += 1
                if not skipped and part[-1] in "=!":
                    if part == "(?=" and _closes_last(parts[place:]):
                        part = "(?:"
                    else:
                        skipped = depth
            if not skipped:
                kept.append(_UPPER_BOUND.sub(r"{\1,}", part))
            if part == ")":
                skipped = 0 if skipped == depth else skipped
                depth -= 1
        return _EMPTY_GROUP.sub("", "".join(kept))


_PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?<?[=!]|\(\?:|\(|\{\d+,\d*\}|.", re.DOTALL)
_EMPTY_GROUP = re.compile(r"\(\?:\|*\)")
_UPPER_BOUND = re.compile(r"^\{(\d+),\d+\}$")


def _closes_last(parts: list[str]) -> bool:
    """Whether the group that opens these parts ends with them."""
    depth = 0
    for place, part in enumerate(parts):
        depth += part.startswith("(") - (part == ")")
        if not depth:
            return place == len(parts) - 1
    return False
