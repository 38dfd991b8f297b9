"""The real texts that fuzzing starts from: labelled reports, collected logs, and the samples of the entries."""

import json
from functools import cache
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1]
_FILES = ("cases.jsonl", "collected.jsonl", "out_of_scope.jsonl", "rows.jsonl")
_LONGEST = 16_000  # characters; longer texts are made by the mutators


@cache
def real_texts() -> tuple[str, ...]:
    """All of them, each once, always in the same order."""
    found: list[str] = []
    for name in _FILES:
        with (BENCH / name).open(encoding="utf-8") as lines:
            found += [json.loads(line)["text"] for line in lines]
    for path in sorted((BENCH.parent / "kb" / "entries").glob("*/*/samples/*")):
        found.append(path.read_text(encoding="utf-8"))
    return tuple(dict.fromkeys(text[:_LONGEST] for text in found if text.strip()))
