"""Reads a pasted text: which error is it about, what followed from it, which versions and libraries it names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal

from errdex.language import HAN
from errdex.lines import Line, clean_lines
from errdex.patterns import Finder
from errdex.tracebacks import CRASHES, Raised, find_exceptions

Reason = Literal["wrapper", "later-rank", "context", "later"]

# They report that something else failed; the something stands elsewhere in the log.
WRAPPER_TYPES = frozenset(
    {
        "ChildFailedError", "CalledProcessError", "ProcessRaisedException", "ProcessExitedException", "RayTaskError",
        "RemoteTraceback", "ExceptionGroup", "BaseExceptionGroup", "BackendCompilerFailed", "SystemExit",
        "BrokenProcessPool", "WorkerCrashedError", "TaskError", "SubprocessError", "Empty",
        "CheckpointException",
    },
)  # fmt: skip
_WRAPPER_MESSAGE = re.compile(
    r"^Caught \w+ in (?:DataLoader worker|pin memory thread|replica)|raised:?\s*$|"
    r"^DataLoader worker \(pid(?:\(s\))? [\d, ]{1,400}\) exited unexpectedly|"
    r"^Unable to load weights from pytorch checkpoint file|^The Inner error is reported as above|\bSee root cause above\b|"
    r"^CUDA error: device-side assert triggered",  # which assertion it was stands above, printed by the kernel
    re.MULTILINE | re.ASCII,
)
_WRAPPER_WORDS = (  # one of them stands in every message that the pattern above finds
    "Caught ", "raised", "exited unexpectedly", "Unable to load weights", "Inner error", "See root cause", "device-side assert",
)  # fmt: skip
# They come over a healthy rank when another one has died.
_CASCADE_TYPES = frozenset(
    {"KeyboardInterrupt", "SignalException", "BrokenPipeError", "ConnectionResetError", "EOFError"},
)
_CASCADE_MESSAGE = re.compile(
    r"[Cc]onnection (?:closed by peer|reset by peer|refused)|[Bb]roken pipe|Watchdog caught collective|"
    r"ncclRemoteError|NCCL communicator was aborted|Socket Timeout|wait timeout after|got Signals\.SIG|"
    r"recv\w* failed|remote process exit",
    re.ASCII,
)
_CASCADE_WORDS = (  # as above
    "onnection ", "roken pipe", "Watchdog", "ncclRemoteError", "NCCL communicator", "Socket Timeout", "wait timeout",
    "got Signals", "recv", "remote process exit",
)  # fmt: skip
_ROOT_SUMMARY = re.compile(r"^[ \t]{0,8}rank[ \t]{1,10}: (\d{1,6}) \(local_rank", re.MULTILINE | re.ASCII)
_ERROR_WORD = re.compile(
    r"\b(?:[Ee]rrors?|ERROR|[Ff]ail(?:ed|ure|s)?|FAILED|[Ff]atal|FATAL|[Ee]xceptions?|[Aa]bort(?:ed|ing)?|"
    r"[Aa]ssert(?:ion)?\w*|[Kk]illed|[Ss]egmentation fault|[Bb]us error|core dumped|out of memory|OOM|[Oo]verflow|OVERFLOW|"
    r"NaN|nan|inf|Inf|[Cc]annot|[Cc]an't|can not|[Cc]ould not|[Cc]ouldn't|[Uu]nable to|"
    r"not (?:supported|implemented|compatible|found|available|compiled|initialized)|[Uu]nsupported|[Mm]ismatch\w*|"
    r"[Ii]nvalid|[Ii]llegal|undefined symbol|[Nn]o (?:such|module|kernel|space)|refused|[Tt]imed? ?out|[Dd]eadlock|denied|"
    r"[Ii]nsufficient|too old|[Ii]ncompatible|[Uu]nexpected|[Mm]issing|[Ss]kipping step|[Dd]eprecated|[Mm]ust (?:be|have)|"
    r"[Ss]hould be|[Rr]equires?|[Pp]lease (?:install|upgrade|update|use))\b"
    r"|报错|错误|錯誤|失败|失敗|异常|異常|不支持|不支援|无法|無法|崩溃|溢出|溢位",
    re.ASCII,
)
# What people write when they ask, and libraries do not when they report.
_ASKING = re.compile(
    r"\b(?:how|why|what|which|where|when|who|should|does|did|is there|am I|I|I'm|my|we|our|anyone|someone|help|after|whenever)\b",
    re.IGNORECASE | re.ASCII,
)
_HAN_ASKING = 3  # Chinese characters from which on a text without an exception is somebody's own words
# What stands in a program's output and seldom in a sentence: paths, brackets, assignments, quoted names, `label: value`.
_PROGRAM = re.compile(r"[\\/{}\[\]=<>|\"]|::|\.py\b|\b0x|\w\(|\w: [A-Z\d]|^\W{0,3}[\w.-]+ ?: |'[\w.]+'", re.ASCII)
_PROSE_LINES = 12  # a longer text without an exception is a log
_NOISE = re.compile(
    r"^\s{0,40}(?:\d{1,6} ?[│|]|--+>|❱|>{1,4} |#|from |import |def |class |return |if |else|try:|raise |with |for |\^+|~+)",
    re.ASCII,
)
_DIGITS = re.compile(r"\d{1,30}", re.ASCII)
# The literal stands first, since a search for one is many times faster.
_FRAME_PATH = re.compile(r"-packages(?<=(?:site|dist)-packages)[\\/](\w{2,60})", re.ASCII)
_PYTHON = re.compile(r"py(?<=[\\/]py)(?:thon)?(?P<version>3\.\d{1,2})[\\/]", re.ASCII)
_PRODUCTS = (
    "torch", "pytorch", "accelerate", "transformers", "deepspeed", "peft", "bitsandbytes", "datasets", "numpy", "cuda",
    "cudnn", "nccl", "torchvision", "torchaudio", "huggingface_hub", "huggingface-hub", "tokenizers", "safetensors", "triton",
    "flash_attn", "flash-attn", "trl", "lightning", "pytorch_lightning", "python", "apex", "xformers", "diffusers",
)  # fmt: skip
_VERSION = re.compile(
    rf"\b(?P<product>{'|'.join(_PRODUCTS)})\b[`'\"*]{{0,2}}(?: (?:library|package))?"
    r"(?: ?[vV]ersions?(?: \([^)\n]{1,20}\))?)?[`'\"]{0,2}[ \t]{0,20}(?:==|=|:|\||-|@)?[ \t]{0,20}"
    r"[vV]?(?P<version>\d{1,3}\.\d{1,3}(?:\.\d{1,3})?(?:\.?(?:dev|rc|post)\d{1,8})?)(?![\d/\\])",
    re.IGNORECASE | re.ASCII,
)
_DOTTED = re.compile(r"\d\.\d{1,3}(?![\d/\\])", re.ASCII)  # stands in every version that `_VERSION` finds
_VERSION_NAMES = {"pytorch": "torch", "huggingface-hub": "huggingface_hub", "flash-attn": "flash_attn"}
MAX_QUERY = 480  # characters; about 120 tokens, what the encoder reads


@dataclass(frozen=True)
class Report:
    """What was read.

    Attributes:
        lines: cleaned lines.
        exceptions: everything raised, the root first, then in order of appearance.
        reasons: for each exception after the first, why it is not the root.
        error_lines: lines that look like errors, the most telling first (where nothing was raised).
        versions: library to version, as the text names them.
        libraries: import names of the libraries whose files stand in the frames.
    """

    lines: tuple[Line, ...]
    exceptions: tuple[Raised, ...]
    reasons: tuple[Reason, ...]
    error_lines: tuple[Line, ...]
    versions: dict[str, str]
    libraries: frozenset[str]

    @property
    def root(self) -> Raised | None:
        """The exception that the log is about."""
        return self.exceptions[0] if self.exceptions else None

    @cached_property
    def chain(self) -> tuple[Raised, ...]:
        """The root, then each exception that was raised directly from the one before."""
        chain = list(self.exceptions[:1])
        later = sorted(self.exceptions[1:], key=lambda raised: raised.line)
        for raised in later:
            if chain[-1].link == "cause" and raised.line > chain[-1].line and raised.rank == chain[-1].rank:
                chain.append(raised)
        return tuple(chain)

    def is_aside(self, line: int) -> bool:
        """Whether a line only warns."""
        return line in self._warned

    @cached_property
    def _warned(self) -> frozenset[int]:
        lines = {line.number for line in self.lines if line.warned}
        return frozenset(lines.union(*(range(r.start, r.end + 1) for r in self.exceptions if is_warning(r))))

    @cached_property
    def own_words(self) -> tuple[str, ...]:
        """Lines that a person wrote: Chinese, or prose in a text without any program output."""
        chinese = (line.text for line in self.lines if not line.text.isascii() and HAN.search(line.text))
        words = tuple(text for text in chinese if not _FRAME_PATH.search(text))
        return words or (() if self.exceptions else tuple(line.text for line in self.lines[:8] if line.text.strip()))

    @cached_property
    def is_question(self) -> bool:
        """Whether it is a person's own words rather than a program's: then no signature can be expected in it."""
        if self.root is not None and not self.root.quoted and self.root.type not in CRASHES:
            # `ImportError：无法导入…` is somebody's retelling: libraries print no Chinese.
            return not self.root.frames and len(HAN.findall(self.root.message)) >= _HAN_ASKING
        words = " ".join(self.own_words)
        asking = "?" in words or "？" in words or len(set(_ASKING.findall(words.lower()))) >= 2
        if asking or len(HAN.findall(words)) >= _HAN_ASKING:
            return True
        filled = [line.text for line in self.lines if line.text.strip()]
        prose = [text for text in filled if len(text.split()) >= 3 and not _PROGRAM.search(text)]
        return len(filled) <= _PROSE_LINES and 2 * len(prose) > len(filled)

    @cached_property
    def headline(self) -> str:
        """The one line that says most: the root exception, else the most telling error lines, else the text."""
        if self.root is not None and self.root.message and not is_wrapper(self.root):
            head = self.root.headline
            # A first line that only announces (`… because of the following error:`) says nothing by itself.
            more = self.root.message.split("\n")[1:3] if len(head) < 60 or head.endswith((":", ")")) else []
            return " ".join([head, *(part.strip() for part in more)])[:MAX_QUERY]
        if self.error_lines:
            return " ".join(line.text.strip() for line in self.error_lines[:2])[:MAX_QUERY]
        if self.root is not None:
            return self.root.headline[:MAX_QUERY]
        return " ".join(line.text.strip() for line in self.lines if line.text.strip())[:MAX_QUERY]

    @cached_property
    def question(self) -> str:
        """What to look for in words: the person's own words and the headline, without saying anything twice."""
        words = " ".join(word.strip() for word in self.own_words)[:MAX_QUERY]
        return words if self.headline in words else f"{words} {self.headline}".strip()[: 2 * MAX_QUERY]


def _first_failing_rank(text: str, raised: Sequence[Raised]) -> int | None:
    """The rank that torchrun's summary names, else the rank of the first failure that is no mere echo."""
    summary = text.find("Root Cause (first observed failure)")
    if summary >= 0 and (match := _ROOT_SUMMARY.search(text, summary)):
        return int(match[1])
    ranked = [r for r in raised if r.rank is not None and not is_wrapper(r) and not is_warning(r)]
    own = [r for r in ranked if not _is_cascade(r)] or ranked
    return min(own, key=lambda r: r.line).rank if own else None


def is_wrapper(raised: Raised) -> bool:
    """Whether it only reports that something else failed."""
    return raised.type in WRAPPER_TYPES or _says(raised.message[:300], _WRAPPER_WORDS, _WRAPPER_MESSAGE)


def _is_cascade(raised: Raised) -> bool:
    return raised.type in _CASCADE_TYPES or _says(raised.message[:600], _CASCADE_WORDS, _CASCADE_MESSAGE)


def _says(message: str, words: Sequence[str], pattern: re.Pattern[str]) -> bool:
    """Whether a pattern stands in a message; it is tried only where one of its words does."""
    return any(word in message for word in words) and bool(pattern.search(message))


def is_warning(raised: Raised) -> bool:
    """Whether the program went on after it."""
    return raised.ignored or raised.type.endswith("Warning")


def _superseded(raised: Raised) -> bool:
    """Whether the exception printed next says more.

    A direct cause says more than what was raised from it, unless it says nothing (`queue.Empty`). An exception that was
    being handled is what the library expected; the one raised then is what it found out.
    """
    return raised.link == "context" or (raised.link == "cause" and not raised.message)


def _order(text: str, raised: Sequence[Raised]) -> tuple[list[Raised], list[Reason]]:
    """Root first. Real errors before warnings, causes before wrappers, the first failing rank before others."""
    first_rank = _first_failing_rank(text, raised)

    def key(item: Raised) -> tuple[bool, bool, bool, bool, bool, bool, int]:
        other_rank = item.rank is not None and first_rank is not None and item.rank != first_rank
        bare = not item.message and not item.frames
        return (is_warning(item), is_wrapper(item), other_rank, _is_cascade(item), bare, _superseded(item), item.line)

    ordered = sorted(raised, key=key)
    reasons: list[Reason] = []
    for item in ordered[1:]:
        root = ordered[0]
        if is_wrapper(item):
            reasons.append("wrapper")
        elif item.rank is not None and item.rank != root.rank:
            reasons.append("later-rank")
        elif item.link is not None or (root.link is not None and item.line > root.line):
            reasons.append("context")
        else:
            reasons.append("later")
    return ordered, reasons


@cache
def _error_word_finder() -> Finder:
    return Finder(_ERROR_WORD.pattern)


def _error_lines(lines: Sequence[Line], cleaned: str) -> list[Line]:
    """Lines with error words, most words first, then as they stand; source code and frames left out."""
    scored: dict[str, tuple[int, int, Line]] = {}
    for position in _error_word_finder().lines(cleaned):
        line = lines[position]
        text = line.text.strip()
        if len(text) < 4 or _NOISE.match(line.text) or text.startswith(("File ", "frame #")):
            continue
        words = {match[0].lower() for match in _ERROR_WORD.finditer(text[:600])}
        shape = _DIGITS.sub("0", text[:160])
        if words and shape not in scored:
            warning = text.lower().startswith(("warning", "warn ")) or "Warning:" in text
            scored[shape] = (-len(words) + (2 if warning else 0), position, line)
    return [line for _, _, line in sorted(scored.values(), key=lambda item: item[:2])]


def _versions(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    end = 0  # of the last line that was read
    for dotted in _DOTTED.finditer(text):
        if dotted.end() <= end:
            continue
        start, end = text.rfind("\n", 0, dotted.start()) + 1, (text.find("\n", dotted.end()) + 1 or len(text) + 1) - 1
        for match in _VERSION.finditer(text, start, end):
            name = match["product"].lower()
            found.setdefault(_VERSION_NAMES.get(name, name), match["version"])
    if python := _PYTHON.search(text):
        found.setdefault("python", python["version"])
    return found


def read_report(text: str) -> Report:
    """Read any text; nothing in it can make this fail.

    Args:
        text: the redacted input.
    """
    lines = clean_lines(text)
    cleaned = "\n".join([line.text for line in lines])
    raised, reasons = _order(cleaned, find_exceptions(lines))
    inconclusive = all(is_warning(r) or is_wrapper(r) or r.quoted for r in raised)
    return Report(
        lines=tuple(lines),
        exceptions=tuple(raised),
        reasons=tuple(reasons),
        error_lines=tuple(_error_lines(lines, cleaned)) if inconclusive else (),
        versions=_versions(cleaned),
        libraries=frozenset(name.lower() for name in _FRAME_PATH.findall(cleaned)),
    )
