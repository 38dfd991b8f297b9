"""The smallest case that still fails in the same way: lines first, then bytes, then headers."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from bench.fuzz.cases import Case

Fails = Callable[[Case], bool]


class _Tries:
    """How often a smaller case may still be tried."""

    def __init__(self, fails: Fails, left: int) -> None:
        self._fails = fails
        self._left = left

    def __call__(self, case: Case) -> bool:
        if self._left <= 0:
            return False
        self._left -= 1
        return self._fails(case)


def _without_parts(parts: Sequence[bytes], joiner: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """Delta debugging: leave out ever smaller runs of parts as long as the rest still fails."""
    kept = list(parts)
    size = max(1, len(kept) // 2)
    while kept:
        position, smaller = 0, False
        while position < len(kept):
            rest = kept[:position] + kept[position + size :]
            if fails(joiner.join(rest)):
                kept, smaller = rest, True
            else:
                position += size
        if size == 1 and not smaller:
            break
        size = max(1, size // 2)
    return joiner.join(kept)


def shrink(case: Case, fails: Fails, tries: int = 400) -> Case:
    """Leave out what the failure does not need.

    Args:
        case: a case that fails.
        fails: whether a case fails in the same way.
        tries: how many smaller cases are asked at most.
    """
    ask = _Tries(fails, tries)
    for header in case.headers:
        fewer = replace(case, headers=tuple(kept for kept in case.headers if kept != header))
        if ask(fewer):
            case = fewer
    if case.query and ask(replace(case, query=b"")):
        case = replace(case, query=b"")
    body = _without_parts(case.body.split(b"\n"), b"\n", lambda part: ask(_with_body(case, part)))
    body = _without_parts([bytes([byte]) for byte in body], b"", lambda part: ask(_with_body(case, part)))
    return _with_body(case, body)


def _with_body(case: Case, body: bytes) -> Case:
    """The case with another body, whose length its header names if it named that of the old one."""
    old = str(len(case.body)).encode()
    headers = tuple(
        (name, str(len(body)).encode() if (name, value) == (b"content-length", old) else value) for name, value in case.headers
    )
    return replace(case, body=body, headers=headers)
