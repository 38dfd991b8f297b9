"""What must hold for any text at all: nothing in it makes reading fail, and reading it twice says the same."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errdex.errors import InputError
from errdex.lexical import tokenize
from errdex.lines import _CONTROL, _without_controls
from errdex.lookup import Lookup
from errdex.models import Answer
from errdex.normalize import normalize
from errdex.redact import redact
from errdex.report import _ERROR_WORD, _error_word_finder, read_report

PIECES = (
    "Traceback (most recent call last):\n", '  File "/home/someone/train.py", line 3, in <module>\n', "    step()\n",
    "ValueError: ", "Error: ", "[rank0]: ", "(train pid=12, ip=10.0.0.7) ", "torch==2.1.0 ", "\n", "\r", "\r\n", "\x1b[31m",
    "\x00", "\u200b", "\u202e", "│ ", "  | ", " 12%|█▏  | 1/9 [00:01<00:09, loss=nan]",
    "The above exception was the direct cause of the following exception:\n", "显存不足", "hf_" + "aB3" * 8, "api_key = ",
    "'", '"', "sk-" + "x1" * 10, "someone@mail.example ", "https://a:b@c.example/", "10.1.2.3 ", "-----BEGIN ",
    "RSA PRIVATE KEY-----", "-----END ", "C:\\Users\\someone\\", "Bearer ", "<secret>", "password: ", "token=", "@", ".", ":",
    "=", "/", "· “", "\x85", "\ufeff", "mismatched", "failed", "报错", "not found", "_error", "Error_",
)  # fmt: skip
TEXTS = st.one_of(st.text(), st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=25).map("".join))
LINES = TEXTS.filter(lambda text: "PRIVATE" not in text)  # a private key may span lines, which become one placeholder


@given(TEXTS)
@settings(deadline=None)
def test_nothing_makes_reading_fail(text: str) -> None:
    report = read_report(redact(text).text)
    assert len(report.reasons) == max(0, len(report.exceptions) - 1)
    assert all(1 <= line.number <= text.count("\n") + 1 + text.count("\\n") for line in report.lines)
    assert all(token.strip() for token in tokenize(text))
    assert isinstance(normalize(text), str)


@given(TEXTS)
@settings(deadline=None)
def test_what_is_redacted_holds_nothing_to_redact(text: str) -> None:
    once = redact(text).text
    assert redact(once).text == once


@given(TEXTS)
@settings(deadline=None)
def test_what_is_looked_for_quickly_is_what_the_patterns_find(text: str) -> None:
    assert _without_controls(text) == _CONTROL.sub("", text)
    lines = text.replace("\r", "\n").split("\n")
    assert list(_error_word_finder().lines("\n".join(lines))) == [n for n, line in enumerate(lines) if _ERROR_WORD.search(line)]


@given(LINES)
@settings(deadline=None)
def test_redaction_keeps_the_lines(text: str) -> None:
    assert redact(text).text.count("\n") == text.count("\n")


@given(TEXTS.filter(lambda text: text.strip()))
@settings(deadline=None, max_examples=60)
def test_an_answer_to_the_same_text_is_the_same(lookup_without_model: Lookup, text: str) -> None:
    def answer() -> Answer | str:
        try:
            return lookup_without_model.answer(text, request_id="the-same")
        except InputError as error:
            return type(error).__name__

    assert answer() == answer()


@pytest.fixture(scope="module")
def lookup_without_model(lookup: Lookup) -> Lookup:
    return Lookup(lookup.index, encoder=None)
