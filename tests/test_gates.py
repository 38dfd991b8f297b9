"""A cheap test of words before a pattern is only that: it never keeps a pattern from a line in which it would be found."""

import re
from collections.abc import Callable, Iterator

import pytest

from errdex import lines, report, tracebacks
from errdex.benchmark import BENCH, read_lines

Gate = Callable[[str], object]


def words(chosen: tuple[str, ...]) -> Gate:
    return lambda text: any(word in text for word in chosen)


def rare(name: str) -> Gate:
    return lambda text: getattr(tracebacks._Rare.in_text(text), name)


GATES: dict[str, tuple[re.Pattern[str], Gate]] = {
    "bar": (lines._BAR, words(("%|",))),
    "wrapper": (report._WRAPPER_MESSAGE, words(report._WRAPPER_WORDS)),
    "cascade": (report._CASCADE_MESSAGE, words(report._CASCADE_WORDS)),
    "version": (report._VERSION, report._DOTTED.search),
    "plain": (tracebacks._PLAIN, tracebacks._SUFFIX_WORDS.search),
    "embedded": (tracebacks._EMBEDDED, tracebacks._ERROR_WORDS.search),
    "quoted": (tracebacks._QUOTED, tracebacks._ERROR_WORDS.search),
    "ignored": (tracebacks._IGNORED, rare("ignored")),
    "c++": (tracebacks._CPLUSPLUS, rare("cplusplus")),
    "crash": (tracebacks._CRASH, rare("crash")),
    "debugger": (tracebacks._DEBUGGER, rare("debugger")),
    "usage": (tracebacks._USAGE, rare("usage")),
}


def begins(prefix: re.Pattern[str]) -> Gate:
    return lambda text: prefix in lines._prefixes_at(text[:1])


GATES |= {f"prefix {number}": (prefix, begins(prefix)) for number, prefix in enumerate(lines._PREFIXES)}


def every_line() -> Iterator[str]:
    """The lines of all reports."""
    for name in ("cases.jsonl", "collected.jsonl", "out_of_scope.jsonl"):
        for row in read_lines(BENCH / name):
            yield from row["text"].split("\n")


@pytest.fixture(scope="module")
def known_lines() -> list[str]:
    return sorted({line for whole in every_line() for line in (whole, whole.strip())})


@pytest.mark.parametrize("name", GATES)
def test_no_pattern_is_kept_from_a_line_that_it_fits(name: str, known_lines: list[str]) -> None:
    pattern, gate = GATES[name]
    anchored = name.startswith("prefix") or pattern.pattern.startswith("^")
    find = pattern.match if anchored else pattern.search
    assert [line for line in known_lines if not gate(line) and find(line)] == []


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("prefix 5", "<ip>: step 1"),
        ("prefix 11", "[ERROR] [trainer.py:12:run] lost"),
        ("debugger", "发生异常: RuntimeError"),
        ("crash", "run.sh: line 3: 4242 Killed  python train.py"),
        ("usage", "train.py: error: unrecognized arguments: --fp61"),
    ],
)
def test_the_rarer_ones_are_seen_here(name: str, line: str) -> None:
    pattern, gate = GATES[name]
    assert pattern.match(line)
    assert gate(line)
