from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errdex.catalog import Catalog
from errdex.entry import Signature
from errdex.lines import Line
from errdex.patterns import compile_pattern
from errdex.signatures import Hit, SignatureMatcher, Unit, literal_words, units_of
from tests.made import make_entry


def hits(signature: str | Signature, *lines: str) -> list[Hit]:
    matcher = SignatureMatcher([make_entry("AMP001", signature)])
    return matcher.search([Unit(number, line) for number, line in enumerate(lines, start=1)])


def places(signature: str | Signature, *lines: str) -> list[int]:
    return [hit.line for hit in hits(signature, *lines)]


def test_a_hit_says_where_and_with_which_values() -> None:
    (hit,) = hits(
        r"(?P<need>\d+) bytes needed, (?P<have>\d+) (?P<unit>kibi)?bytes there", "no", "  error: 12 bytes needed, 7 bytes there  "
    )
    assert hit == Hit("AMP001", False, 2, "error: 12 bytes needed, 7 bytes there", 30, {"need": "12", "have": "7"})


def test_generic_signatures_say_so() -> None:
    assert hits(Signature(pattern="some shape", generic=True), "some shape")[0].generic


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(a+", "missing )"),
        (r"(a)\1 and on", "invalid escape sequence"),
        ("a(?=b) and on", "invalid perl operator"),
        ("(?<=a)b and on", "invalid"),
        ("[z-a] and on", "invalid character class range"),
        ("*a and on", "no argument for repetition operator"),
        ("a{2000} and on", "invalid repetition size"),
        ("((x{100}){100}){100}", "invalid repetition size"),
    ],
)
def test_what_is_no_re2_pattern_is_refused_with_the_reason(pattern: str, reason: str) -> None:
    with pytest.raises(ValueError, match="not an RE2 pattern") as caught:
        compile_pattern(pattern)
    assert reason in str(caught.value)


@pytest.mark.parametrize("pattern", ["(a+)+$ and b", "(a|a)*$ and b", "(a*)*b and c", "(.*)*x and y", r"(\w+\s?)+: done"])
def test_a_pattern_that_traps_others_takes_linear_time(pattern: str) -> None:
    assert hits(pattern, "a" * 500_000) == []


def test_a_line_stays_within_its_ends() -> None:
    assert places("first .*second", "first line", "second line") == []
    assert places("first .*second", "first and second") == [1]


@pytest.mark.parametrize(
    ("pattern", "lines", "found"),
    [
        (r"stuck\s+lever", ("stuck", "lever"), []),
        (r"stuck\s+lever", ("stuck", "stuck lever"), [2]),
        ("named '[^']*' here", ("named 'a", "b' here"), []),
        ("named '[^']*' here", ("named 'open", "named 'closed' here"), [2]),
        ("(?s:stuck.*lever)", ("stuck", "lever"), []),
        ("(?s:stuck.*lever)", ("stuck", "a stuck lever", "lever"), [2]),
        (r"stuck[\s\S]*lever", ("stuck", "no", "stuck lever", "lever"), [3]),
        (r"stuck\W+lever", ("stuck", "...", "lever"), []),
        (r"stuck\nlever", ("stuck", "lever"), []),
    ],
)
def test_what_could_run_over_a_lines_end_does_not(pattern: str, lines: Sequence[str], found: list[int]) -> None:
    assert places(pattern, *lines) == found


@pytest.mark.parametrize("pattern", [r"stuck\s+lever", "stuck[^']*lever", "(?s:stuck.*lever)", r"stuck\nlever"])
def test_a_multiline_signature_runs_over_it(pattern: str) -> None:
    assert places(Signature(pattern=pattern, multiline=True), "no", "stuck", "lever") == [2]


@pytest.mark.parametrize(("line", "found"), [("lever stuck", [1]), ("the lever stuck", []), ("lever stuck hard", [])])
def test_anchors_are_those_of_a_line(line: str, found: list[int]) -> None:
    assert places("^lever stuck$", line, "other") == found


def test_a_line_that_matches_twice_is_one_place_with_its_first_values() -> None:
    (hit,) = hits(r"lever (?P<number>\d)", "lever 1, lever 2, lever 3")
    assert hit.captures == {"number": "1"}


@pytest.mark.parametrize("line", ["lever 1 is stuck", "lever 1 is stuck; " * 200])
def test_a_line_repeated_thousands_of_times_gives_a_few_places(line: str) -> None:
    found = places(r"lever \d is stuck", *[line] * 5000)
    assert 0 < len(found) <= 100
    assert found[0] == 1


def test_a_long_line_is_kept_in_part() -> None:
    assert len(hits("lever is stuck", "lever is stuck " + "x" * 5000)[0].text) < 1000


def test_hits_come_by_line_then_entry() -> None:
    entries = [make_entry("DST001", "lever is stuck"), make_entry("AMP001", "is stuck"), make_entry("AMP002", "knob is stuck")]
    found = SignatureMatcher(entries).search([Unit(1, "nothing"), Unit(2, "lever is stuck"), Unit(3, "knob is stuck")])
    assert [(hit.line, hit.entry_id) for hit in found] == [(2, "AMP001"), (2, "DST001"), (3, "AMP001"), (3, "AMP002")]


@pytest.mark.parametrize("entries", [[], [make_entry("AMP001")]])
def test_without_signatures_nothing_is_found(entries: list[object]) -> None:
    assert SignatureMatcher([make_entry("AMP001") for _ in entries]).search([Unit(1, "text")]) == []


def test_without_text_nothing_is_found() -> None:
    assert SignatureMatcher([make_entry("AMP001", "(?:lever)?")]).search([]) == []


def test_offsets_are_those_of_characters() -> None:
    (hit,) = hits("stuck (?P<what>.)", "显存不足 😀", "操纵杆 stuck 卡 😀")
    assert (hit.line, hit.captures["what"], hit.length) == (2, "卡", 7)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(alphabet="ab '", max_size=12), min_size=1, max_size=12))
def test_a_search_through_all_lines_is_a_search_through_each(lines: list[str]) -> None:
    signature = Signature(pattern=r"a(?P<between>[^']*)'\s*b")
    alone = [number for number, line in enumerate(lines, start=1) if hits(signature, line)]
    assert places(signature, *lines) == alone


def test_a_message_over_several_lines_is_joined_to_one() -> None:
    lines = [Line(1, None, "ValueError: stuck"), Line(2, None, "   lever"), Line(3, None, "")]
    units = units_of(lines, [(1, "ValueError: stuck\n   lever")])
    assert units == [Unit(1, "ValueError: stuck"), Unit(2, "   lever"), Unit(1, "ValueError: stuck lever")]


def test_a_message_that_is_a_line_is_searched_once() -> None:
    assert units_of([Line(1, 0, "ValueError: stuck")], [(1, "ValueError: stuck")]) == [Unit(1, "ValueError: stuck")]


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("Attempting to unscale FP16 gradients", "Attempting to unscale FP16 gradients"),
        (r"unscale_\(\) is being called after step\(\)", "unscale_() is being called after step()"),
        (r"found at least two devices, (?P<one>[\w:]+) and (?P<two>[\w:]+)!", "found at least two devices, and !"),
        (r"CUDA (?:driver )?error: out of memory", "CUDA driver error: out of memory"),
        (r"\bcudaErrorInsufficientDriver\b", "cudaErrorInsufficientDriver"),
        (r"(?i:nvml error): driver/library", "nvml error : driver/library"),
        (r"version \d+\.\d+(?: \(old\))?", "version . (old)"),
        (r"a{3,}b{2}c*", "abc"),
        (r"tab\tand more", "tab and more"),
        (r"[\w.]+", ""),
    ],
)
def test_the_words_of_a_pattern(pattern: str, words: str) -> None:
    assert literal_words(pattern) == words


def test_every_real_pattern_has_words_and_none_of_its_syntax(catalog: Catalog) -> None:
    for entry in catalog:
        for signature in entry.signature:
            words = literal_words(signature.pattern)
            assert any(len(word) >= 3 and word.isascii() for word in words.split()), signature.pattern
            assert not {"(?", "?P<", "\\", "|"} & {words[i : i + n] for i in range(len(words)) for n in (1, 2, 3)}, words


def test_every_real_pattern_is_re2(catalog: Catalog) -> None:
    assert [compile_pattern(signature.pattern) for entry in catalog for signature in entry.signature]


@pytest.mark.parametrize(
    "typed",
    [
        "Input type （BFloat16） and bias type （Half） should be the same",
        "Input type (BFloat16)   and bias type (Half) should be the same",
        "\uff29nput type (BFloat16) and bias type (Half) should be the same",
    ],
)
def test_a_message_typed_by_hand_is_found_as_it_was_printed(typed: str) -> None:
    matcher = SignatureMatcher([make_entry("AMP001", r"Input type \(\w+\) and bias type \(\w+\) should be the same")])
    assert [hit.line for hit in matcher.search(units_of([Line(3, None, typed)], []))] == [3]
