import re
from datetime import date

import pytest

from errdex.lookup import Lookup
from errdex.models import RootError, Status
from errdex.unanswered import MAX_SAMPLE, Unanswered, excerpt, fingerprint_of, read_sighting, sighting, storable

DAY = date(2026, 12, 1)
TOKEN = "hf_" + "aB3dE5gH7jK9mN1pQ3rS5"
LOG = f"""\
epoch 1 loss 2.31 user maria@example.org
export HF_TOKEN={TOKEN}
Traceback (most recent call last):
  File "/home/maria/run/train.py", line 3, in <module>
    main()
  File "/home/maria/env/lib/python3.11/site-packages/torch/levers.py", line 9, in main
    raise LeverError("stuck")
levers.LeverError: the lever of maria@example.org is stuck at 12 in /home/maria/run/out.bin

An own line at the end
"""


def kept(lookup: Lookup, text: str, *, sample: bool = True) -> Unanswered:
    seen = sighting(lookup.answer(text), text, DAY)
    mark = fingerprint_of(seen)
    assert mark is not None
    return read_sighting(seen, mark, sample=sample)


def test_of_a_log_the_error_and_the_lines_around_it_are_kept(lookup: Lookup) -> None:
    found = kept(lookup, LOG)
    assert (found.fingerprint.kind, found.fingerprint.type) == ("error", "LeverError")
    assert found.fingerprint.message == "the lever of <email> is stuck at <n> in <path>.bin"
    assert found.libraries == {"torch"}
    assert found.versions == {"python": "3.11"}
    assert "levers.LeverError: the lever" in found.sample
    assert "main()" in found.sample


def test_nothing_that_was_redacted_is_kept(lookup: Lookup) -> None:
    assert not re.search(f"maria|{TOKEN}|example.org", repr(kept(lookup, LOG)))


def test_the_whole_log_is_never_kept(lookup: Lookup) -> None:
    long = "".join(f"step {number} of a long run, nothing of note\n" for number in range(5000)) + LOG + "tail\n" * 3000
    found = kept(lookup, long)
    assert len(found.sample) <= MAX_SAMPLE
    assert "LeverError: the lever" in found.sample
    assert "step 3 of" not in found.sample
    assert kept(lookup, long, sample=False).sample == ""


def test_a_question_is_kept_in_its_own_words(lookup: Lookup) -> None:
    found = kept(lookup, "Why do the trams in Lisbon, says maria@example.org, run so late?")
    assert found.fingerprint.kind == "question"
    assert "trams in lisbon" in found.fingerprint.message
    assert "maria" not in repr(found)


def test_a_match_keeps_no_text(lookup: Lookup) -> None:
    text = "ValueError: Attempting to unscale FP16 gradients."
    seen = sighting(lookup.answer(text), text, DAY)
    assert (seen.status, seen.text, seen.nearest) == (Status.MATCH, None, ())


KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEowIBAAKCAQEA7\n" * 300 + "-----END RSA PRIVATE KEY-----\n"


@pytest.mark.parametrize("before", [0, 100, 700, 1500, 3000])
def test_a_secret_that_the_cut_goes_through_is_taken_out_whole(before: int, lookup: Lookup) -> None:
    text = KEY + "x = 1\n" * before + LOG
    found = kept(lookup, text)
    assert "MIIEow" not in repr(found)
    assert "LeverError: the lever" in found.sample


ROOT = RootError(type="LeverError", message="the lever is stuck", rank=None, line=2)


@pytest.mark.parametrize(
    "text",
    [
        "LeverError: the lever is stuck",
        "one\nLeverError: the lever is stuck\nthree",
        "one\r\nLeverError: the lever is stuck\r\nthree",
        "one\ntwo\nthree\nfour LeverError: the lever is stuck",
        "{'log': 'one\\nLeverError: the lever is stuck\\nthree\\n'}",
        "noise " * 20_000 + "LeverError: the lever is stuck" + " noise" * 20_000,
        "x" * 300_000 + "\nLeverError: the lever is stuck\n" + "y" * 300_000,
    ],
    ids=["alone", "second line", "Windows", "another line", "inside JSON", "one long line", "long lines"],
)
def test_the_error_is_found_wherever_it_stands(text: str) -> None:
    cut = excerpt(text, ROOT)
    assert "the lever is stuck" in cut
    assert len(cut) <= MAX_SAMPLE


@pytest.mark.parametrize("text", ["", "\n\n", "nothing of it", "a\nb\nc"])
def test_an_error_that_cannot_be_found_again_does_no_harm(text: str) -> None:
    assert set(excerpt(text, RootError(type=None, message="gone", rank=None, line=9))) <= set(text)


def test_what_no_database_takes_is_left_out() -> None:
    assert storable("a\x00b\x1b[31m \ud800 c\u202e\r\nd\te") == "ab[31m ? c\nd\te"
