"""Of a long log only the lines are read that can say something, and they say the same."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errdex.catalog import Catalog
from errdex.index import Index
from errdex.lookup import Lookup
from errdex.report import read_report
from errdex.salience import AFTER, BEFORE, HEAD, LONG, MOST, REPEATED, TAIL, worth_reading

PROGRESS = [f"step {number} loss {number / 7:.4f} lr 1e-4 grad_norm 0.{number}" for number in range(3 * LONG)]


def in_the_middle(text: str) -> str:
    return "\n".join([*PROGRESS, "", text, "", *PROGRESS])


def samples(catalog: Catalog) -> Iterator[tuple[str, str]]:
    for entry in catalog.active:
        yield from ((f"{entry.id} {name}", text) for name, text in entry.samples.items() if name.startswith("hit"))


def test_a_short_log_is_read_whole() -> None:
    assert list(worth_reading(PROGRESS[:LONG])) == list(range(LONG))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 2 * LONG), max_size=20))
def test_the_lines_around_each_word_are_read(places: list[int]) -> None:
    lines = PROGRESS[: 2 * LONG + 1]
    lines = [f"RuntimeError: {number}" if number in places else line for number, line in enumerate(lines)]
    read = set(worth_reading(lines))
    around = {near for place in places for near in range(max(place - BEFORE, 0), min(place + AFTER + 1, len(lines)))}
    assert read == {*range(HEAD), *range(len(lines) - TAIL, len(lines)), *around}


@pytest.mark.parametrize("line", ["", "ValueError: x", '  File "a.py", line 1, in f', "训练"])
def test_no_text_makes_more_than_so_many_lines_be_read(line: str) -> None:
    assert len(worth_reading([line] * 200_000)) <= MOST + BEFORE + AFTER + 1


def test_of_progress_that_has_a_word_the_first_lines_are_enough() -> None:
    lines = [f"step {number} memory allocated {number / 3:.2f} GB" for number in range(3 * LONG)]
    assert len(worth_reading(lines)) == HEAD + TAIL
    for place in (LONG, LONG + 500):  # another line with a word is read, and what an error is made of every time
        lines[place] = f"memory is full at {place}"
    around = {near for place in (LONG, LONG + 500) for near in range(place - BEFORE, place + AFTER + 1)}
    assert set(worth_reading(lines)) == {*range(HEAD), *range(len(lines) - TAIL, len(lines)), *around}


def test_of_an_error_that_is_printed_without_end_the_first_lines_are_enough() -> None:
    read = set(worth_reading(["RuntimeError: out of memory"] * (5 * LONG)))
    assert read == {*range(REPEATED + AFTER), *range(5 * LONG - TAIL, 5 * LONG)}


def test_an_error_behind_many_alike_is_read() -> None:
    lines = list(PROGRESS)
    for place in range(200, 2 * LONG, 50):
        lines[place] = f"OSError: try {place} failed"
    assert set(range(200, 2 * LONG, 50)) <= set(worth_reading(lines))


def test_no_number_of_words_takes_long_to_look_at() -> None:
    words = [f"not {chr(97 + number % 26)}{number % 7}" for number in range(20_000)]
    assert len(worth_reading(words)) <= MOST + BEFORE + AFTER + 1


def test_lines_keep_their_numbers() -> None:
    report = read_report(in_the_middle("ValueError: the lever is stuck"))
    assert report.root is not None
    assert (report.root.message, report.root.line) == ("the lever is stuck", 3 * LONG + 2)


def test_what_a_log_is_answered_with_does_not_depend_on_its_length(index: Index, catalog: Catalog) -> None:
    lookup = Lookup(index, None)
    lost = []
    for name, text in samples(catalog):
        short = lookup.read(text)
        if short.is_decided and not short.report.is_question:
            long = lookup.read(in_the_middle(text))
            if [item.entry.id for item in lookup.candidates(short.report)] != [
                item.entry.id for item in lookup.candidates(long.report)
            ]:
                lost.append(name)
    assert lost == []
