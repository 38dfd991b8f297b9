"""What a caller sends: the text, as far as it is read, and the versions that come with it."""

import re
from collections.abc import Mapping

from errdex.errors import EmptyInputError, InputError, NotTextError

MAX_TEXT = 8 << 20  # characters that are read, whatever a face lets through
_LIBRARY = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,39}")
_VERSION = re.compile(r"[vV]?\d[0-9A-Za-z.+_-]{0,39}")
_ODD = re.compile(r"[\x00-\x07\x0b\x0e-\x1a\x1c-\x1f\ufffd]")  # characters of binary files, not of logs


def _whole(text: str) -> str:
    """JSON may hold half a character (a lone surrogate), which no encoder takes: it becomes the replacement character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", errors="surrogatepass").decode("utf-16", errors="replace")
    return text


def readable_versions(environment: Mapping[str, str]) -> dict[str, str]:
    """Versions as the caller knows them; nothing else is let through, since the answer repeats them.

    Raises:
        InputError: something else than a library's name and its version stands there.
    """
    for name, version in environment.items():
        if not (_LIBRARY.fullmatch(name) and _VERSION.fullmatch(version)):
            raise InputError('Give library names and versions, such as {"torch": "2.13.0"}.', field="environment")
    return {name.lower(): version for name, version in environment.items()}


def readable_text(text: str) -> str:
    """The part of a text that is read.

    Raises:
        EmptyInputError: it is empty or blank.
        NotTextError: it holds mostly control characters, as binary files do.
    """
    whole = _whole(text[:MAX_TEXT])
    if not whole.strip():
        raise EmptyInputError("Send a traceback, a log, an error message or a question.", field="traceback")
    sample = whole[:4096]
    if len(_ODD.findall(sample)) > 0.1 * len(sample):
        raise NotTextError("This looks like a binary file; send the log as UTF-8 text.", field="traceback")
    return whole
