"""Regular expressions of RE2 and Python as JavaScript writes them, for the subset that all three share."""

import re

_PART = re.compile(
    r"(?P<anything>\[\\s\\S\])|\\(?P<escape>.)|(?P<open>\[\^?\]?)|(?P<close>\])"
    r"|\(\?P(?P<group><\w+>)|\(\?P=(?P<back>\w+)\)|\(\?(?P<flags>[a-zA-Z-]+)|(?P<dot>\.)",
    re.DOTALL,
)
_INLINE = re.compile(r"^\(\?(?P<flags>[ims]+)\)")
_BLANK = {"python": r"\t-\r ", "re2": r"\t\n\f\r "}  # what \s is to each of them; to JavaScript it is more
_ESCAPES = frozenset("bBdDwWsSnrtfvux0")  # letters and digits that mean the same behind a backslash; others are none


def javascript(pattern: str, syntax: str) -> tuple[str, str]:
    r"""A pattern as JavaScript writes it.

    Args:
        pattern: in Python's syntax (with ASCII classes) or in RE2's.
        syntax: `python` or `re2`.

    Returns:
        The source, and the flags that stood at its start.

    Raises:
        ValueError: it uses what JavaScript does not share; says what.
    """
    inline = _INLINE.match(pattern)
    inside = False

    def part(match: re.Match[str]) -> str:
        nonlocal inside
        if match["anything"] and not inside:
            return "[^]"
        if match["group"] and not inside:
            return f"(?{match['group']}"
        if match["back"] and not inside:
            return rf"\k<{match['back']}>"
        if match["flags"] and not inside:
            raise ValueError(f"{match[0]}: flags may stand only at the start of a pattern, as (?i)")
        if match["open"]:
            if inside and pattern[match.start() :].startswith("[:"):
                raise ValueError("[:…:]: write the characters of the class out")
            head, inside = (match[0] if inside else match[0].replace("]", r"\]")), True
            return head
        if match["close"]:
            inside = False
        elif match["dot"] and not inside:
            return r"[^\n]"
        elif escape := match["escape"]:
            return _escape(escape, _BLANK[syntax], inside=inside)
        return match[0]

    return _PART.sub(part, pattern[inline.end() :] if inline else pattern), inline["flags"] if inline else ""


def _escape(letter: str, blank: str, *, inside: bool) -> str:
    if letter.isascii() and letter.isalnum() and letter not in _ESCAPES:
        raise ValueError(rf"\{letter}: JavaScript does not know it")
    if letter == "s":
        return blank if inside else f"[{blank}]"
    if letter == "S":
        if inside:
            raise ValueError(r"\S in a class: JavaScript takes other characters for blank; write [\s\S] or no class")
        return f"[^{blank}]"
    return rf"\{letter}"
