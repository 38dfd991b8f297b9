"""The knowledge: a folder of entries becomes a Catalog, or a list of everything that is wrong with it."""

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from errdex.entry import AREAS, LANGS, Entry, EntryFile
from errdex.errors import CatalogError, UnknownEntryError
from errdex.page import parse_page

PACKAGE = Path(__file__).resolve().parent
SCRIPTS = ("broken.py", "fixed.py", "example.py")
_PAGES = tuple(f"{lang}.md" for lang in LANGS)


def knowledge_folder() -> Path:
    """`kb/` inside an installed package, else beside `api/` in a checkout."""
    installed = PACKAGE / "kb"
    return installed if installed.is_dir() else PACKAGE.parents[1] / "kb"


@dataclass(frozen=True)
class Catalog:
    """All entries, ordered by id."""

    entries: Mapping[str, Entry]
    digest: str

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries.values())

    def __len__(self) -> int:
        return len(self.entries)

    def get(self, entry_id: str) -> Entry:
        """The entry with this id or slug.

        Raises:
            UnknownEntryError: there is none.
        """
        wanted = entry_id.strip()
        found = self.entries.get(wanted.upper()) or next((e for e in self if e.slug == wanted.lower()), None)
        if found is None:
            raise UnknownEntryError("No entry has this id or slug. GET /entries lists them all.", field="id")
        return found

    @property
    def active(self) -> list[Entry]:
        """Entries that answer lookups."""
        return [e for e in self if e.status == "active"]


def _read_text(path: Path, findings: list[str]) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        findings.append(f"{path}: file: cannot be read ({error.strerror}); it must be a plain file")
        return ""
    except UnicodeDecodeError:
        findings.append(f"{path}: encoding: not UTF-8; save the file as UTF-8")
        return ""


def _read_entry(folder: Path, findings: list[str]) -> Entry | None:
    """One entry, or None after noting what is wrong with it."""
    toml_path = folder / "entry.toml"
    before = len(findings)
    for name in ("entry.toml", *_PAGES):
        if not (folder / name).is_file():
            findings.append(f"{folder / name}: missing: an entry has entry.toml, {', '.join(_PAGES)}")
    allowed = {"entry.toml", *_PAGES, *SCRIPTS, "samples", "__pycache__"}
    findings += [
        f"{path}: unexpected: remove it; an entry holds only {', '.join(sorted(allowed - {'__pycache__'}))}"
        for path in sorted(folder.iterdir())
        if path.name not in allowed
    ]
    if len(findings) > before:
        return None
    text = _read_text(toml_path, findings)
    if len(findings) > before:
        return None
    try:
        meta = EntryFile.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        findings.append(f"{toml_path}: toml: {error}")
        return None
    except ValidationError as error:
        for problem in error.errors(include_url=False, include_input=False):
            where = ".".join(str(part) for part in problem["loc"]) or "entry"
            findings.append(f"{toml_path}: schema: {where}: {problem['msg']}")
        return None
    if meta.id[:3].lower() != folder.parent.name or folder.parent.name not in AREAS:
        findings.append(f"{toml_path}: area: {meta.id} belongs in kb/entries/{meta.id[:3].lower()}/")
    samples = folder / "samples"
    sample_paths = sorted(samples.iterdir()) if samples.is_dir() else []
    return Entry(
        **meta.model_dump(),
        area=folder.parent.name,
        slug=folder.name,
        pages={lang: parse_page(_read_text(folder / f"{lang}.md", findings)) for lang in LANGS},
        scripts={n: _read_text(folder / n, findings) for n in SCRIPTS if (folder / n).is_file()},
        samples={p.name: _read_text(p, findings) for p in sample_paths},
    )


def read_entries(kb: Path | None = None) -> tuple[dict[str, Entry], list[str]]:
    """Every entry below `kb/entries` that can be read, by id, and a finding for each thing that is wrong.

    Args:
        kb: the knowledge folder; by default the one that belongs to this program.
    """
    root = (kb or knowledge_folder()) / "entries"
    if not root.is_dir():
        return {}, [f"{root}: missing: there is no folder of entries; set ERRDEX_KB to the knowledge folder"]
    findings: list[str] = []
    found: dict[str, Entry] = {}
    slugs: dict[str, str] = {}
    for folder in sorted(p for p in root.glob("*/*") if p.is_dir()):
        entry = _read_entry(folder, findings)
        if entry is None:
            continue
        if entry.id in found:
            findings.append(f"{folder}: id: {entry.id} is taken by {found[entry.id].path}; take the next free number")
        if entry.slug in slugs:
            findings.append(f"{folder}: slug: {entry.slug} is taken by {slugs[entry.slug]}; slugs are unique")
        found[entry.id] = entry
        slugs[entry.slug] = entry.id
    return dict(sorted(found.items())), findings


def load_catalog(kb: Path | None = None) -> Catalog:
    """The whole knowledge, or nothing.

    Args:
        kb: the knowledge folder; by default the one that belongs to this program.

    Raises:
        CatalogError: with every finding, if one entry cannot be read or two share an id or a slug.
    """
    entries, findings = read_entries(kb)
    if findings:
        raise CatalogError(findings)
    return Catalog(entries=entries, digest=knowledge_digest(kb))


def knowledge_digest(kb: Path | None = None) -> str:
    """Identity of the knowledge, from the bytes of its files: costs a small part of reading them.

    Samples are tests, not knowledge: changing one does not change an answer.

    Args:
        kb: the knowledge folder; by default the one that belongs to this program.
    """
    root = (kb or knowledge_folder()) / "entries"
    hasher = hashlib.sha256()
    for path in sorted(path for name in ("entry.toml", *_PAGES, *SCRIPTS) for path in root.glob(f"*/*/{name}")):
        data = path.read_bytes()
        hasher.update(f"{path.relative_to(root).as_posix()}\n{len(data)}\n".encode() + data)
    return hasher.hexdigest()
