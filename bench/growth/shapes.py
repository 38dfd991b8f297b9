"""Texts that grow: the shapes on which careless reading takes time out of proportion to the length."""

from collections.abc import Callable

Shape = Callable[[int], str]
"""A text of about so many bytes in UTF-8."""

# Repeated without end, each has taken some pattern or parser somewhere out of linear time.
_PIECES = (
    *"([{<\"'`/\\:;=.,-_#|*+~@%&!?$^ \t\r0aAxé中", "((((", "[[[[", "{{{{", "<<<<", "()", "[]", "[[]", "(()", "::", "::::",
    "====", "----", "....", "..", "./", "../", "//", "\\\\", "://", "a://", "http://", "a:b@", "@a.", "a@", "@", "a.a.", "a-",
    "a_", "_A", "aA", "Aa", "A_", "1.", "1.1.1.1", "1.1.1.", "256.1.1.1 ", "0x", "0xffff", "pid=", "(pid=", "(a pid=1, ip=",
    "rank=", "rank0: ", "[rank0]: ", "[1,0]<stderr>: ", "Rank 0: ", "[default0]: ", "worker-1: ", "host1: ", "a: ", "a:",
    ": ", ":  ", "key=", "api_key=", "password:", "secret secret=", "token_", "token=\"", "access_token = '", "sk-", "hf_",
    "eyJ", "eyJaaaaaaaa.", "Bearer ", "Basic a", "xoxb-", "AKIA", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "/home/",
    "/Users/a", "C:\\Users\\", "/a", "/a/b/c", "\\a", "a/", "site-packages/", "site-packages/torch/", "/python3.11/",
    "\"File ", "File ", "File \"", "File \"a\", line 1, in f", "File \"a.py\", line ", ".py", ".py:1", ".py in ", "a.py:1: ",
    "line 1", ", line 1, in ", "Cell In[1]", "<ipython-input-", "at ", "at at at ", "at a.b(", "in ", "raise ", "Error",
    "Error: ", "Error:", "aError", "AError: ", "A.Error", "A.A.A.", "ValueError(\"", "ValueError('a", "Error('", "Exception",
    "ExceptionError", "Warning: ", "E   ", "Traceback (most recent call last)", "what(): ", "terminate called ",
    "Root Cause (first observed failure)", "frame #1: ", "#1 ", "Killed", "Aborted ", "During handling of", "| ", "+-+-",
    "+-+-------- 1 ---", "│", "│ ", "❱ ", "%|", "1%|", "1%|a|", "1%| | 1/1 [", "1%||[", "1%||[a]",
    "100%|█| 1/1 [00:00<00:00, a=1]", "| 1/1 [", "[00:00<00:00, ", ", a=1", "INFO ", "[INFO]", "[INFO] [a:1] ", "WARNING ",
    "WARN", "W0101 00:00:00 ", "2024-01-01 00:00:00 ", "2024-01-01T00:00:00,", "00:00:00 ", "01/01 00:00:00 ",
    "E0101 00:00:00.1 1 a:1] ", "INFO:a:", "- a - INFO - ", "<ip>: ", "\x1b[", "\x1b[0m", "\x1b]", "\x1b]a", "\x1b[0;",
    "\x07", "\u200b", "\u202e", "\ufeff", "\x00a", "\x08a", "torch==", "torch 1.", "torch version", "cuda 11", "version ",
    "a" * 63 + ".", "a" * 100 + " ", "0" * 50 + " ", "9" * 400 + "a", "a ", "a  ", "  a", "      ", "\t ", "aaaaaaaaab", "ab",
    "aab", "loss nan ", "not supported ", "can not ", "CUDA out of memory ", "Tried to allocate ", "错误", "為什麼",
    "显存不足 ", "報錯：Error: ", "，", "：", "？", "（", "é́", "ä̈̈", "👩‍👩‍👧", "ﷺ", "İ", "ß", "\u017f", "\\n", "\\n\\tFile ",
    "\\\"", "\\u0041", "&lt;", "%20", "<a>", "</a>", "``", "```", "**", "* ", "> ", "~~~",
)  # fmt: skip


def _sized(text: str, size: int) -> str:
    return text.encode(errors="replace")[:size].decode(errors="ignore")


def repeated(piece: str, head: str = "", tail: str = "") -> Shape:
    """A piece without end, with something before and behind it."""
    return lambda size: head + _sized(piece * (size // len(piece.encode()) + 1), size) + tail


def in_lines(piece: str, width: int = 80) -> Shape:
    """Lines of one piece, each about as long as a terminal is wide."""
    line = piece.replace("\n", "") * max(1, width // len(piece)) + "\n"
    return repeated(line)


def _frames(size: int) -> str:
    frame = '  File "/srv/app/train_{n}.py", line {n}, in step\n    loss.backward()\n'
    lines = ["Traceback (most recent call last):\n"]
    length, number = len(lines[0]), 0
    while length < size:
        number += 1
        lines.append(frame.format(n=number))
        length += len(lines[-1])
    return "".join(lines) + "ValueError: Attempting to unscale FP16 gradients.\n"


def _exceptions(size: int) -> str:
    block = 'Traceback (most recent call last):\n  File "a.py", line {n}, in f\nValueError: case {n}\n\n'
    return "".join(block.format(n=number) for number in range(size // len(block) + 1))


def _chain(size: int) -> str:
    link = "\nThe above exception was the direct cause of the following exception:\n\n"
    return link.join(_exceptions(200) for _ in range(size // 300 + 1))


def _ranks(size: int) -> str:
    line = "[rank{n}]: ValueError: case {n}\n"
    return "".join(line.format(n=number) for number in range(size // len(line) + 1))


def _words(size: int) -> str:
    return " ".join(f"layer{number}.weight" for number in range(size // 15 + 1))


def _groups(size: int) -> str:
    deep = "".join(f"{'  ' * min(level, 40)}| ValueError: {level}\n" for level in range(size // 60 + 1))
    return "  + Exception Group Traceback (most recent call last):\n" + deep


NAMED: dict[str, Shape] = {
    "log lines": repeated("step 12 loss: 2.31 lr 1e-4 grad_norm 0.31 ok\n"),
    "one line": repeated("training goes on and on without a line end, "),
    "one word": repeated("a"),
    "blank lines": repeated("\n"),
    "blank lines with an end": repeated("\n", tail="ValueError: Attempting to unscale FP16 gradients."),
    "spaces before line ends": repeated(" " * 200 + "\n"),
    "carriage returns": repeated("step 1\rstep 2\r"),
    "one bar that overwrites itself": repeated("\r 12%|█▏        | 12/100 [00:01<00:09,  9.5it/s, loss=2.3]"),
    "bars in one line": repeated(" 12%|█▏        | 12/100 [00:01<00:09,  9.5it/s, loss=2.3]"),
    "frames": _frames,
    "frames without an end": lambda size: _frames(size).rsplit("ValueError", 1)[0],
    "exceptions": _exceptions,
    "chain": _chain,
    "ranks": _ranks,
    "group": _groups,
    "words that differ": _words,
    "Chinese without an end": repeated("训练时显存不足怎么办"),
    "Chinese lines": repeated("训练时显存不足，损失变成 nan，怎么办？\n"),
    "Traditional lines": repeated("訓練時顯示記憶體不足，該怎麼辦？\n"),
    "combining marks": repeated("e\u0301\u0308\u0323"),
    "brackets in lines": repeated("[" * 79 + "\n"),
    "known error in every line": repeated("ValueError: Attempting to unscale FP16 gradients.\n"),
    "known error without line ends": repeated("ValueError: Attempting to unscale FP16 gradients. "),
    "generic errors": repeated("RuntimeError: CUDA error: an illegal memory access was encountered\n"),
    "escaped log": repeated('  File \\"a.py\\", line 1, in f\\nRuntimeError: CUDA out of memory\\n'),
    "secrets": repeated("export HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz0123456789\n"),
    "mail addresses": repeated("someone.else@mail.example.org "),
    "addresses": repeated("10.1.2.3 connects to 10.1.2.4\n"),
}


def shapes() -> dict[str, Shape]:
    """All of them by name: those of logs, then each piece in one line, in lines, and behind a frame's head."""
    found = dict(NAMED)
    for piece in dict.fromkeys(_PIECES):
        found[f"{piece[:40]!r} in one line"] = repeated(piece, tail="!")
        found[f"{piece[:40]!r} in lines"] = in_lines(piece)
    return found
