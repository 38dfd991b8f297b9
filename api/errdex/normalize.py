"""Takes out of a message what differs from run to run: addresses, ids, paths, times, long numbers."""

import re

_VOLATILE = (
    (re.compile(r"\b0x[0-9a-fA-F]{4,16}\b", re.ASCII), "0x"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.ASCII), "uuid"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\b", re.ASCII), ""),
    # A path says little, its last part may say much (`libcudart.so.11.0`, `grad_scaler.py`).
    (re.compile(r"(?:[A-Za-z]:)?(?:[\\/][\w.@+~-]{1,100}){2,30}(?=[\\/]([\w.@+~-]{1,100}))[\\/]", re.ASCII), ""),
    (re.compile(r"\b\d{5,}\b", re.ASCII), "0"),
    (re.compile(r"[ \t]{2,}", re.ASCII), " "),
)


def normalize(text: str) -> str:
    """The text without its volatile parts; letters, dtypes and small numbers stay."""
    for pattern, replacement in _VOLATILE:
        text = pattern.sub(replacement, text)
    return text.strip()
