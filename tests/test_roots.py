"""Which error a log is about, over the whole path: the root before its echoes, wrappers and warnings."""

import pytest

from errdex.lookup import Lookup
from errdex.models import Status
from tests.logs import LAUNCHER, MULTI_RANK, PASSING, TRACE, UNKNOWN, UNSCALE, ids

CAUSED = f"""KeyError: 'the flux capacitor of the banana'

The above exception was the direct cause of the following exception:

{UNSCALE}"""
ASSERTED = """TensorCompare.cu:110: Assertion `probability tensor contains either `inf`, `nan` or element < 0` failed.
Traceback (most recent call last):
  File "a.py", line 3, in f
RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm(...)`"""
WARNED = "W0519 12:08:55.541000 23 torch/_dynamo/convert_frame.py:98] [1/8] torch._dynamo hit config.recompile_limit (8)"


def test_a_log_of_several_ranks_names_the_one_that_failed(lookup: Lookup) -> None:
    answer = lookup.answer(MULTI_RANK)
    assert answer.report.root is not None
    assert (answer.report.root.rank, answer.report.root.line, answer.results[0].evidence.line) == (2, 6, 6)
    assert [(error.rank, error.reason) for error in answer.report.consequences] == [(0, "later-rank")]


@pytest.mark.parametrize("text", [MULTI_RANK + LAUNCHER, LAUNCHER + MULTI_RANK, TRACE + LAUNCHER])
def test_the_cause_stands_before_the_launcher(lookup: Lookup, text: str) -> None:
    answer = lookup.answer(text, limit=10)
    assert (answer.status, ids(answer)[0]) == (Status.MATCH, "AMP003")
    assert "wrapper" in [error.reason for error in answer.report.consequences]


def test_a_launcher_alone_is_the_answer(lookup: Lookup) -> None:
    answer = lookup.answer(LAUNCHER)
    assert (answer.status, ids(answer)[0]) == (Status.MATCH, "DST002")


def test_a_launcher_around_an_unknown_error_is_not_the_answer(lookup: Lookup) -> None:
    answer = lookup.answer(f'Traceback (most recent call last):\n  File "a.py", line 1, in f\n{UNKNOWN}\n{LAUNCHER}')
    assert answer.status is not Status.MATCH
    assert answer.report.root is not None
    assert answer.report.root.type == "KeyError"


def test_a_known_error_that_the_log_is_not_about_is_only_possible(lookup: Lookup) -> None:
    answer = lookup.answer(PASSING)
    assert answer.status is Status.CANDIDATES
    assert ids(answer)[0] == "AMP003"


@pytest.mark.parametrize(
    ("text", "status", "first"),
    [
        (f"{UNSCALE}\n\nRuntimeError: Engine core initialization failed. See root cause above.", Status.MATCH, "AMP003"),
        (CAUSED, Status.MATCH, "AMP003"),  # raised directly from something unknown
        (ASSERTED, Status.MATCH, "AMP023"),  # printed by a kernel before the host noticed
        (WARNED, Status.MATCH, "CMP002"),
        (f"{WARNED}\nstep 12: loss nan", Status.MATCH, "AMP008"),  # a failure stands before a warning
        (f"{WARNED}\n   reasons: shape mismatch at index 0", Status.MATCH, "CMP002"),
        (f"{WARNED}\nERROR: some other thing failed", Status.CANDIDATES, "CMP002"),
    ],
)
def test_what_the_log_is_about(lookup: Lookup, text: str, status: Status, first: str) -> None:
    answer = lookup.answer(text)
    assert (answer.status, ids(answer)[0]) == (status, first)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("为什么 cuda 张量转 numpy 失败？", None),
        ("why does my loss overflow, is the learning rate invalid?", None),
        ("跑到一半就停了，求助\nERROR: not enough shared memory", "ERROR: not enough shared memory"),
        ("ERROR: not enough shared memory", "ERROR: not enough shared memory"),
    ],
)
def test_a_persons_own_words_are_not_the_root_error(lookup: Lookup, text: str, said: str | None) -> None:
    root = lookup.answer(text).report.root
    assert (root.message if root else None) == said
