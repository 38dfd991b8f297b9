import io
import traceback
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errdex.redact import redact
from errdex.report import read_report
from errdex.tracebacks import Raised

# Words as libraries write them; no line of a message looks like the start of another exception.
WORDS = st.text(alphabet="abcdefghijklmnopqrstuvwxyzABCXYZ0123456789_'`()[].,=-+*/ 显存不足张量", min_size=1, max_size=60).map(
    lambda text: "got " + " ".join(text.split()),
)
TYPES = st.sampled_from(
    [ValueError, RuntimeError, TypeError, KeyError, NotImplementedError, OSError, AssertionError, ImportError],
)


class OutOfMemoryError(RuntimeError):
    """A type with a module in front of its name, as libraries have them."""


def raise_deep(depth: int, error: BaseException) -> None:
    if depth > 0:
        raise_deep(depth - 1, error)
    raise error


def raised(error: BaseException, depth: int, cause: BaseException | None = None, *, direct: bool = True) -> BaseException:
    """The exception as it is caught: with frames, and with what came before it."""
    try:
        if cause is None:
            raise_deep(depth, error)
        elif direct:
            try:
                raise_deep(depth, cause)
            except BaseException as inner:
                raise error from inner
        else:
            try:
                raise_deep(depth, cause)
            except BaseException:  # noqa: BLE001  groups are raised here too
                raise_deep(depth, error)
    except BaseException as caught:  # noqa: BLE001  groups are raised here too
        return caught
    raise AssertionError("nothing was raised")


def as_python(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


def as_torchrun(error: BaseException) -> str:
    lines = [f"[rank3]: {line}" for line in as_python(error).splitlines()]
    summary = [
        "E1130 10:00:00.123000 4242 torch/distributed/elastic/multiprocessing/api.py:869] "
        "failed (exitcode: 1) local_rank: 3 (pid: 9)",
        "Traceback (most recent call last):",
        '  File "/opt/env/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60,
        "train.py FAILED",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        "  time      : 2026-11-30_10:00:00",
        "  rank      : 3 (local_rank: 3)",
        "  exitcode  : 1 (pid: 9)",
    ]
    return "\n".join(lines + summary)


def as_ipython(error: BaseException) -> str:
    from IPython.core.ultratb import VerboseTB

    printer = VerboseTB(theme_name="nocolor")
    assert error.__traceback__ is not None
    return "\n".join(printer.structured_traceback(type(error), error, error.__traceback__))


def as_rich(error: BaseException) -> str:
    from rich.console import Console
    from rich.traceback import Traceback

    assert error.__traceback__ is not None
    console = Console(file=io.StringIO(), width=100, color_system="truecolor", force_terminal=True)
    console.print(Traceback.from_exception(type(error), error, error.__traceback__))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


PRINTERS: dict[str, Callable[[BaseException], str]] = {
    "python": as_python,
    "torchrun": as_torchrun,
    "ipython": as_ipython,
    "rich": as_rich,
}


def squeezed(text: str) -> str:
    """Without white space: printers wrap and indent."""
    return "".join(text.split())


def root_of(text: str) -> Raised:
    root = read_report(redact(text).text).root
    assert root is not None
    return root


@pytest.mark.parametrize("printer", PRINTERS.values(), ids=PRINTERS.keys())
@settings(max_examples=40, deadline=None)
@given(kind=TYPES, message=WORDS, depth=st.integers(0, 12))
def test_type_and_message_come_back(
    printer: Callable[[BaseException], str], kind: type[Exception], message: str, depth: int
) -> None:
    root = root_of(printer(raised(kind(message), depth)))
    assert root.type == kind.__name__
    assert squeezed(message)[:90] in squeezed(root.message).replace("\\", "")


@pytest.mark.parametrize("printer", PRINTERS.values(), ids=PRINTERS.keys())
@settings(max_examples=25, deadline=None)
@given(inner=WORDS, outer=WORDS, depth=st.integers(0, 5))
def test_a_direct_cause_is_the_root(printer: Callable[[BaseException], str], inner: str, outer: str, depth: int) -> None:
    error = raised(RuntimeError("outer " + outer), depth, ValueError("inner " + inner))
    root = root_of(printer(error))
    assert (root.type, root.message.split()[0]) == ("ValueError", "inner")


@settings(max_examples=25, deadline=None)
@given(first=WORDS, second=WORDS)
def test_what_was_raised_while_handling_is_the_root(first: str, second: str) -> None:
    error = raised(RuntimeError("found " + second), 1, KeyError("expected " + first), direct=False)
    root = root_of(as_python(error))
    assert (root.type, root.message.split()[0]) == ("RuntimeError", "found")


@settings(max_examples=25, deadline=None)
@given(messages=st.lists(WORDS, min_size=1, max_size=4), depth=st.integers(0, 3))
def test_the_first_member_of_a_group_is_the_root(messages: list[str], depth: int) -> None:
    group = ExceptionGroup("several", [raised(ValueError(m), depth) for m in messages])  # type: ignore[type-var]  # BaseException is what raised() returns
    root = root_of(as_python(raised(group, 1)))
    assert root.type == "ValueError"
    assert squeezed(messages[0]) in squeezed(root.message)


@settings(max_examples=25, deadline=None)
@given(message=WORDS, note=WORDS)
def test_notes_stay_with_their_exception(message: str, note: str) -> None:
    error = ValueError(message)
    error.add_note("note: " + note)
    root = root_of(as_python(raised(error, 2)))
    assert root.message.splitlines()[0].split() == message.split()
    assert "note: " in root.message


def test_a_type_loses_its_module() -> None:
    assert root_of(as_python(raised(OutOfMemoryError("CUDA out of memory."), 1))).type == "OutOfMemoryError"


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=600), st.binary(max_size=600).map(lambda data: data.decode("utf-8", errors="replace"))))
def test_nothing_makes_reading_fail(text: str) -> None:
    report = read_report(redact(text).text)
    assert len(report.reasons) == max(0, len(report.exceptions) - 1)


@settings(max_examples=60, deadline=None)
@given(start=st.integers(0, 900), length=st.integers(0, 900))
def test_torn_at_any_place(start: int, length: int) -> None:
    whole = as_torchrun(raised(RuntimeError("outer"), 3, ValueError("inner value")))
    read_report(whole[start : start + length])


def test_a_torn_head_leaves_the_error() -> None:
    whole = as_python(raised(ValueError("Attempting to unscale FP16 gradients."), 6))
    torn = "\n".join(whole.splitlines()[3:])
    assert root_of(torn).headline == "ValueError: Attempting to unscale FP16 gradients."


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (
            "训练时开启 fp16 后就报：ValueError: Attempting to unscale FP16 gradients.",
            "ValueError",
            "Attempting to unscale FP16 gradients.",
        ),
        (
            " 14%|█▍  | 3/27 [01:02<03:04, 1.1s/it]Traceback (most recent call last):\n"
            '  File "a.py", line 1, in <module>\nKeyError: 0',
            "KeyError",
            "0",
        ),
        ("2021-02-20T23:57:46Z ERROR    Failed. Exception: it broke", "Exception", "it broke"),
        ("E       ValueError: in a test", "ValueError", "in a test"),
        ('raise ValueError("shown, not raised")', "ValueError", "shown, not raised"),
        (
            "terminate called after throwing an instance of 'c10::Error'\n  what():  CUDA error: out of memory",
            "Error",
            "CUDA error: out of memory",
        ),
        (
            "x.py:41: FutureWarning: `torch.cuda.amp.autocast(args...)` is deprecated.",
            "FutureWarning",
            "`torch.cuda.amp.autocast(args...)` is deprecated.",
        ),
        (
            r'{"log": "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nTypeError: in JSON\n"}',
            "TypeError",
            "in JSON",
        ),
        (
            "10.0.0.2: [rank5]: Traceback (most recent call last):\n"
            '10.0.0.2: [rank5]:   File "t.py", line 8, in f\n10.0.0.2: [rank5]: OSError: on a host',
            "OSError",
            "on a host",
        ),
        ("报错：RuntimeError：CUDA out of memory. Tried", "RuntimeError", "CUDA out of memory. Tried"),
        ("10:56:04-973914 ERROR    CUDA error: ValueError: in a rich log", "ValueError", "in a rich log"),
        ("RuntimeError: out of memory\n测试时是正常的，请问这是什么原因", "RuntimeError", "out of memory"),
        (
            "usage: train.py [-h]\ntrain.py: error: unrecognized arguments: --local-rank=0",
            "error",
            "unrecognized arguments: --local-rank=0",
        ),
        ("(RayTrainWorker pid=123, ip=10.1.2.3) ValueError: in an actor", "ValueError", "in an actor"),
        ("[1,3]<stderr>:ValueError: under mpirun", "ValueError", "under mpirun"),
        (
            "Exception has occurred: RuntimeError       (note: full exception trace is shown but execution is paused)\n"
            'in a debugger\n  File "t.py", line 8, in f',
            "RuntimeError",
            "in a debugger",
        ),
        ("run.sh: line 3: 12345 Killed                  python train.py", "Killed", ""),
        ("UserWarning: something may go wrong\nSegmentation fault (core dumped)", "Segmentation fault", ""),
        ("RuntimeError: out of luck\nAborted (core dumped)", "RuntimeError", "out of luck"),
        (
            "KeyError: 'k'\n\nDuring handling of the above exception, another exception occurred:\n\n"
            "Traceback (most recent call last):\nRuntimeError: DataLoader worker (pid(s) 325) exited unexpectedly",
            "KeyError",
            "'k'",
        ),
        ("发生异常: KeyError\n'step'\n", "KeyError", "'step'"),
        ("\x1b[31mValueError\x1b[0m: in \x1b[1mcolour\x1b[0m", "ValueError", "in colour"),
    ],
)
def test_forms_seen_in_the_wild(text: str, kind: str, message: str) -> None:
    root = root_of(text)
    assert (root.type, root.message.removesuffix('"}').strip()) == (kind, message)


RANKS = """[rank1]: Traceback (most recent call last):
[rank0]: Traceback (most recent call last):
[rank1]:   File "train.py", line 9, in <module>
[rank0]:   File "train.py", line 12, in <module>
[rank0]: torch.distributed.DistBackendError: NCCL error: remote process exited, ncclRemoteError
[rank1]: ValueError: the real one
"""


@pytest.mark.parametrize(
    ("text", "kind", "frames"),
    [
        ('"lib/accelerator.py", line 31, in load\n    self.step = given["step"]\nKeyError: \'step\'', "KeyError", 1),
        ("File d:\\env\\Lib\\reduction.py:60, in dump(obj, file)\n     58 def dump():\n\nTypeError: cannot dump", "TypeError", 1),
        ("KeyError:\n\n'step'\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\nOSError: told", "OSError", 1),
        ("[2024-06-18 19:45:55,713] pkg.convert: [WARNING] ValueError: went on\nTypeError: did not", "TypeError", 0),
        ("W0519 12:08:55.541000 23 a/b.py:9] ValueError: went on\nTypeError: did not", "TypeError", 0),
        ("[rank0]:[W519 12:08:55.541 x.cpp:9] ValueError: went on\nTypeError: did not", "TypeError", 0),
        ("ValueError: WARNING is no level\nTypeError: later", "ValueError", 0),
        (
            "UnpicklingError: invalid key\n\nDuring handling of the above exception, another exception occurred:\n\n"
            "OSError: Unable to load weights from pytorch checkpoint file for 'x' at 'y'.",
            "UnpicklingError",
            0,
        ),
        ("CheckpointException: CheckpointException ranks:dict_keys([0])\n\nKeyError: 'of rank 0'", "KeyError", 0),
        ("RuntimeError: CUDA error: device-side assert triggered\n\nTypeError: the other one", "TypeError", 0),
    ],
)
def test_what_says_more_is_the_root(text: str, kind: str, frames: int) -> None:
    root = root_of(text)
    assert (root.type, len(root.frames)) == (kind, frames)


def test_the_rank_that_failed_by_itself_is_the_root_and_the_echo_a_consequence() -> None:
    report = read_report(RANKS)
    assert report.root is not None
    assert (report.root.rank, report.root.message) == (1, "the real one")
    assert report.reasons == ("later-rank",)


def test_the_summary_of_torchrun_names_the_first_rank() -> None:
    text = RANKS.replace("NCCL error: remote process exited, ncclRemoteError", "another real one") + (
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
        "Root Cause (first observed failure):\n  rank      : 0 (local_rank: 0)\n"
    )
    report = read_report(text)
    assert report.root is not None
    assert report.root.message == "another real one"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Epoch 1, loss nan:  45%|████▌     | 45/100 [00:10<00:12,  4.31it/s]", "Epoch 1, loss nan:"),
        ("Epoch 0:   3%|▎ | 31/1024 [00:12<06:41,  2.47it/s, v_num=4, train_loss=nan.0]", "v_num=4, train_loss=nan.0"),
        ("  1/100  2.43G  nan  nan: 100%|███| 8/8 [00:03<00:00,  2.29it/s]", "1/100  2.43G  nan  nan:"),
    ],
)
def test_what_a_trainer_writes_around_a_progress_bar_is_kept(text: str, kept: str) -> None:
    assert kept in [line.text for line in read_report(text).lines]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("FP16 causes NAN after optimizer.step", True),
        ("Loss is NaN when using Mixed-precision training", True),
        ("yolov8 出现loss 为nan", True),
        ("fine-tuning with a CTC loss: loss explodes as soon as fp16 is on", True),
        ("ImportError: 无法从'transformers'导入名称'AutoModelWithLMHead'", True),
        ("报错：RuntimeError: mat1 and mat2 must have the same dtype", False),
        ("Failed to initialize NVML: Unknown Error", False),
        ("No module named 'apex'", False),
        ("RuntimeError: mat1 and mat2 shapes cannot be multiplied", False),
        ("[2026-03-02 10:11:12,001] [INFO] step=118 loss=2.3", False),
    ],
)
def test_a_persons_words_are_told_from_a_programs(text: str, asked: bool) -> None:
    assert read_report(text).is_question is asked


def test_versions_and_libraries() -> None:
    report = read_report(
        'torch==2.1.0\n- `transformers` version: 4.36.2\n  File "/x/python3.10/site-packages/accelerate/state.py", line 1, in f\n'
    )
    assert report.versions == {"torch": "2.1.0", "transformers": "4.36.2", "python": "3.10"}
    assert report.libraries == {"accelerate"}
