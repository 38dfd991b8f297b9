"""Writes what the tool found out into `[checked]` of an `entry.toml`, and touches nothing else in the file."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import tomlkit
from tomlkit.items import InlineTable, Table

from errdex.entry import LANGS, Checked, Entry, Lang

_ORDER = tuple(field.alias or name for name, field in Checked.model_fields.items())


def text_hash(source: bytes) -> str:
    """What a translation that was read against this English text carries (`en@a5a01e46`), whatever its line ends."""
    lines = source.replace(b"\r\n", b"\n")
    return f"en@{hashlib.sha256(lines).hexdigest()[:8]}"


def english_hash(page: Path) -> str:
    """The same of an English page on disk."""
    return text_hash(page.read_bytes())


def stale_translations(entry: Entry) -> list[Lang]:
    """Languages of an entry that were not compared with its English page of today."""
    current = text_hash(entry.pages["en"].source.encode())
    recorded = entry.checked.model_dump(by_alias=True)
    return [lang for lang in LANGS if lang != "en" and recorded[lang] != current]


def restamped(entry: Entry, english: str) -> Checked:
    """What is recorded of an entry whose English page is written otherwise and says the same: what was up to date still is."""
    names = {"zh-CN": "zh_cn", "zh-TW": "zh_tw"}
    fresh = [name for lang, name in names.items() if lang not in stale_translations(entry)]
    return entry.checked.model_copy(update=dict.fromkeys(fresh, text_hash(english.encode())))


def write_checked(toml_path: Path, values: Mapping[str, str | InlineTable]) -> bool:
    """Set keys of `[checked]`; the other keys stay, in the order of the schema.

    Args:
        toml_path: the `entry.toml`.
        values: keys of `[checked]` with their new values.

    Returns:
        Whether the file changed.
    """
    # Bytes, not text mode: line ends stay as they are.
    before = toml_path.read_bytes().decode()
    document = tomlkit.parse(before)
    old = document.get("checked", {})
    if all(key in old and old[key] == value for key, value in values.items()):
        return False
    merged = {**old, **values}
    table = old if isinstance(old, Table) else tomlkit.table()
    for key in list(table):
        table.remove(key)
    for key in _ORDER:
        if key in merged:
            table.add(key, merged[key])
    if "checked" not in document:
        document.add(tomlkit.ws("\n" if before.endswith("\n") else "\n\n"))
        document.add("checked", table)
    toml_path.write_bytes(tomlkit.dumps(document).encode())
    return True
