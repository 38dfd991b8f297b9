"""Inputs that once failed, one pair of files each; every run of the tests asks them again."""

import gzip
import hashlib
from collections.abc import Iterator
from pathlib import Path

from bench.fuzz.cases import Case, from_record, to_record

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "corpus"
_PLAIN = 64 << 10  # bytes; a longer body is kept compressed


def save(case: Case, folder: Path = FOLDER) -> Path:
    """Write a case; the same case has the same name.

    Returns:
        The file of its body.
    """
    folder.mkdir(parents=True, exist_ok=True)
    record = to_record(case)
    stem = hashlib.sha256(record.encode() + b"\n" + case.body).hexdigest()[:16]
    if len(case.body) > _PLAIN:
        path, body = folder / f"{stem}.bin.gz", gzip.compress(case.body, mtime=0)
    else:
        path, body = folder / f"{stem}.bin", case.body
    path.write_bytes(body)
    (folder / f"{stem}.json").write_text(record + "\n", encoding="utf-8")
    return path


def load(folder: Path = FOLDER) -> Iterator[tuple[str, Case]]:
    """Every case with its name."""
    for path in sorted(folder.glob("*.json")):
        plain = path.with_suffix(".bin")
        body = plain.read_bytes() if plain.is_file() else gzip.decompress(path.with_suffix(".bin.gz").read_bytes())
        yield path.stem, from_record(path.read_text(encoding="utf-8"), body)
