"""Ways to damage a log: by bytes, by lines and by tokens."""

import base64
from collections.abc import Callable
from random import Random

Mutator = Callable[[Random, str], str]

_ODD = (
    "\x00", "\x01", "\x08", "\x0b", "\x0c", "\x1b", "\x1b[31m", "\x1b]0;title\x07", "\x1b[", "\x7f", "\x85", "\x9b31m",
    "\u200b", "\u200d", "\u200e", "\u2028", "\u2029", "\u202e", "\u2066", "\ufeff", "\ufffd", "\ufffe", "\U000e0001",
    "\U0010ffff", "\r", "\r\n", "\t", "\u3000", "\xa0", "é", "é́", "ß", "İ", "ﬁ", "ﷺ", "👩‍👩‍👧", "中", "錯", "：", "“",
    "\\n", "\\", "\\ud800", "%00", "%s%n", "{{7*7}}", "${jndi:ldap://a}", "<script>", "'; --", "`", "```", "[", "]", "(", ")",
    "{", "}", "<", ">", "|", "│", "  + Exception Group Traceback (most recent call last):",
    "Traceback (most recent call last):", "Error: ", "ValueError: ", "[rank0]: ", "(pid=1) ", "pid=", "hf_" + "a" * 20,
    "-----BEGIN PRIVATE KEY-----", "a@b.cd", "10.0.0.1", "C:\\Users\\x\\", "https://a:b@c/", "password=", "9" * 30, "1e999",
    "NaN", "-1", "0x" + "f" * 16,
)  # fmt: skip


def _place(rng: Random, text: str) -> int:
    return rng.randrange(len(text) + 1)


def _span(rng: Random, text: str) -> tuple[int, int]:
    start = _place(rng, text)
    return start, min(len(text), start + int(rng.expovariate(1 / 40)))


def insert_odd(rng: Random, text: str) -> str:
    """A control, bidirectional, invisible or otherwise odd piece, at one or many places."""
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at = _place(rng, text)
        text = text[:at] + rng.choice(_ODD) + text[at:]
    return text


def flip_characters(rng: Random, text: str) -> str:
    """Some characters become others."""
    letters = list(text)
    for _ in range(rng.choice((1, 3, 10, 50))):
        if letters:
            letters[rng.randrange(len(letters))] = chr(
                rng.choice((rng.randrange(128), rng.randrange(0x3000), rng.randrange(0xD800)))
            )
    return "".join(letters)


def cut(rng: Random, text: str) -> str:
    """The head, the tail or the middle is missing."""
    start, end = sorted((_place(rng, text), _place(rng, text)))
    return rng.choice((text[start:], text[:end], text[start:end], text[:start] + text[end:]))


def repeat_span(rng: Random, text: str) -> str:
    """A piece stands there many times."""
    start, end = _span(rng, text)
    return text[:end] + text[start:end] * rng.choice((1, 2, 10, 60)) + text[end:]


def delete_span(rng: Random, text: str) -> str:
    """A piece is missing."""
    start, end = _span(rng, text)
    return text[:start] + text[end:]


def repeat_line(rng: Random, text: str) -> str:
    """One line stands there many times."""
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    lines[at:at] = [lines[at][:200]] * rng.choice((1, 5, 30))
    return "\n".join(lines)


def drop_lines(rng: Random, text: str) -> str:
    """Some lines are missing."""
    return "\n".join(line for line in text.split("\n") if rng.random() > 0.2)


def shuffle_lines(rng: Random, text: str) -> str:
    """The lines stand in another order, as several processes print them."""
    lines = text.split("\n")
    rng.shuffle(lines)
    return "\n".join(lines)


def prefix_lines(rng: Random, text: str) -> str:
    """A launcher's prefix before each line, or before some."""
    prefix = rng.choice(
        (
            "[rank{n}]: ",
            "{n}: ",
            "(train pid={n}, ip=10.0.0.1) ",
            "node-{n}: ",
            "2024-01-01 00:00:0{n} ",
            "| ",
            "> ",
            "E   ",
            " " * 40,
        )
    )
    share = rng.choice((1.0, 0.5))
    return "\n".join((prefix.format(n=rng.randrange(9)) if rng.random() < share else "") + line for line in text.split("\n"))


def swap_tokens(rng: Random, text: str) -> str:
    """Words change places, or are said twice."""
    words = text.split(" ")
    for _ in range(rng.choice((1, 4))):
        a, b = rng.randrange(len(words)), rng.randrange(len(words))
        words[a], words[b] = words[b], words[a] * rng.choice((1, 1, 3))
    return " ".join(words)


def line_ends(rng: Random, text: str) -> str:
    """Other line ends, or none."""
    return text.replace("\n", rng.choice(("\r\n", "\r", "\n\n", "\\n", "\u2028", " ", "\x0b", "")))


def encode(rng: Random, text: str) -> str:
    """The text as another program carried it."""
    data = text.encode(errors="replace")
    return rng.choice(
        (
            base64.b64encode(data).decode(),
            data.decode("latin-1"),
            text.encode("unicode_escape").decode("ascii"),
            repr(text),
            text.encode("utf-16-le", errors="replace").decode("latin-1"),
            text.upper(),
            text[::-1],
            data.hex(" "),
        )
    )


def marks(rng: Random, text: str) -> str:
    """Combining marks on the letters, or invisible characters between them."""
    mark = rng.choice(("\u0301", "\u0301\u0308\u0323", "\u200b", "\u200d", "\ufe0f"))
    return mark.join(text[:2000])


def nest(rng: Random, text: str) -> str:
    """Deep brackets around it."""
    left, right = rng.choice(("()", "[]", "{}", "<>"))
    depth = rng.choice((10, 100, 1000))
    return left * depth + text + right * depth


MUTATORS: tuple[Mutator, ...] = (
    insert_odd, insert_odd, flip_characters, cut, repeat_span, delete_span, repeat_line, drop_lines, shuffle_lines,
    prefix_lines, swap_tokens, line_ends, encode, marks, nest,
)  # fmt: skip


def long_text(rng: Random, text: str, size: int) -> str:
    """Up to `size` characters of what takes longest to read."""
    line = rng.choice(text.split("\n"))[:300] or "x"
    shape = rng.randrange(7)
    if shape == 0:
        return "\n" * min(size, 100_000) + text
    if shape == 1:
        return (line + "\n") * min(10_000, size // (len(line) + 1))
    if shape == 2:
        return (line * (size // len(line) + 1))[:size]
    if shape == 3:
        return "[" * min(size, 100_000) + text
    if shape == 4:
        return (rng.choice(_ODD) * size)[:size]
    if shape == 5:
        return (text + "\n") * max(1, size // (len(text) + 1))
    return "中" * (size // 3) + text


def mutated(rng: Random, texts: tuple[str, ...], longest: int) -> str:
    """A real text, or two spliced, after none to four mutations; never longer than `longest` characters."""
    text = rng.choice(texts)
    if rng.random() < 0.15:
        other = rng.choice(texts)
        text = text[: _place(rng, text)] + other[_place(rng, other) :]
    for _ in range(rng.choice((0, 1, 1, 2, 3, 4))):
        text = rng.choice(MUTATORS)(rng, text[:longest])
    return text[:longest]
