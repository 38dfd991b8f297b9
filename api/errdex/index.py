"""The index as one artefact: built from a catalog, saved whole or not at all, checked before it is used."""

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from errdex.catalog import Catalog
from errdex.encoder import Encoder, Role
from errdex.entry import LANGS, Entry
from errdex.errors import CatalogError, IndexNotReadyError
from errdex.lexical import LexicalIndex
from errdex.signatures import SignatureMatcher, literal_words
from errdex.vectors import VectorIndex

FORMAT = 2  # raise it when an index written by an older program must not be used
_CURRENT = "current"
_PASSAGE_CHARACTERS = 300
_WORDINGS = 4  # of one entry that are encoded; more are variants of the same words
_KEPT_VERSIONS = 2  # the one in use, and the one before it for servers that are still swapping

Progress = Callable[[str, int, int], None]


class Manifest(BaseModel):
    """What an index is and what it was made from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int
    content: str
    encoder: str
    dimension: int
    entries: int
    files: dict[str, str] = {}

    def fits(self, digest: str, encoder: str) -> bool:
        """Whether the index is of this knowledge, this encoder and this program."""
        return self.format == FORMAT and self.content == _content_hash(digest, encoder)


@dataclass(frozen=True)
class Index:
    """Everything a lookup needs.

    Attributes:
        entries: entries that answer, ordered by id; positions in the arrays below refer to it.
        matcher: exact stage.
        head: word stage over titles, wordings, summaries and aliases; one document per entry.
        body: word stage over whole pages; one document per entry.
        vectors: dense stage; one row per passage.
        owners: position of the entry that each passage belongs to, shape (passages,), int32.
        texts: the passages themselves, so that the next build encodes only what is new.
    """

    manifest: Manifest
    catalog: Catalog
    entries: tuple[Entry, ...]
    matcher: SignatureMatcher
    head: LexicalIndex
    body: LexicalIndex
    vectors: VectorIndex
    owners: NDArray[np.int32]
    texts: tuple[str, ...]


def head_text(entry: Entry) -> str:
    """What the head of the word stage reads of an entry: names, wordings, titles and summaries."""
    parts = [entry.slug.replace("-", " "), *entry.exceptions, *(literal_words(s.pattern) for s in entry.signature)]
    for lang in LANGS:
        page = entry.pages[lang]
        parts += [page.title, page.summary, *entry.aliases.of(lang)]
    return "\n".join(parts)


def body_text(entry: Entry) -> str:
    """What the body of the word stage reads of an entry: its pages, whole."""
    return "\n".join(entry.pages[lang].source for lang in LANGS)


def _chunks(phrases: Sequence[str]) -> Iterator[str]:
    """Phrases joined to as few passages as hold them."""
    chunk = ""
    for phrase in phrases:
        if chunk and len(chunk) + len(phrase) > _PASSAGE_CHARACTERS // 2:
            yield chunk
            chunk = ""
        chunk = f"{chunk}; {phrase}" if chunk else phrase
    if chunk:
        yield chunk


def passages(entry: Entry) -> Iterator[str]:
    """The texts of an entry that are encoded: wordings once; title with summary, aliases and meaning per language."""
    for signature in entry.signature[:_WORDINGS]:
        words = literal_words(signature.pattern)
        yield (f"{entry.exceptions[0]}: {words}" if entry.exceptions else words)[:_PASSAGE_CHARACTERS]
    for lang in LANGS:
        page = entry.pages[lang]
        yield f"{page.title}\n{page.summary}"[:_PASSAGE_CHARACTERS]
        yield from _chunks(entry.aliases.of(lang))
        yield page.section("meaning")[:_PASSAGE_CHARACTERS]


def _content_hash(digest: str, encoder: str) -> str:
    return hashlib.sha256(f"{FORMAT}\n{digest}\n{encoder}".encode()).hexdigest()


def content_hash(catalog: Catalog, encoder: Encoder) -> str:
    """Identity of the index that this catalog and this encoder make."""
    return _content_hash(catalog.digest, encoder.name)


def _encoded(texts: Sequence[str], encoder: Encoder, known: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float32]:
    new = [text for text in texts if text not in known]
    fresh = dict(zip(new, encoder.encode(new, Role.PASSAGE), strict=True))
    rows = [fresh[text] if text in fresh else known[text] for text in texts]
    return np.stack(rows) if rows else np.empty((0, encoder.dimension), dtype=np.float32)


def build_index(
    catalog: Catalog,
    encoder: Encoder,
    progress: Progress | None = None,
    previous: Index | None = None,
) -> Index:
    """Make the index in memory.

    Args:
        catalog: the knowledge; only active entries are indexed.
        encoder: the model for the dense stage.
        progress: called with a label, how many entries are done, and of how many.
        previous: an older index; passages that it holds are not encoded again, if the same encoder made it.

    Raises:
        CatalogError: no entry is active.
    """
    entries = tuple(catalog.active)
    if not entries:
        raise CatalogError(["kb/entries: empty: there is no active entry, so there is nothing to index"])
    known: dict[str, NDArray[np.float32]] = {}
    if previous is not None and previous.manifest.encoder == encoder.name:
        known = dict(zip(previous.texts, previous.vectors.rows(), strict=True))
    rows = [np.empty((0, encoder.dimension), dtype=np.float32)]
    owners: list[int] = []
    texts: list[str] = []
    for position, entry in enumerate(entries):
        own = [text for text in dict.fromkeys(passages(entry)) if text.strip()]
        rows.append(_encoded(own, encoder, known))
        owners += [position] * len(own)
        texts += own
        if progress:
            progress("encoding entries", position + 1, len(entries))
    return Index(
        manifest=Manifest(
            format=FORMAT,
            content=content_hash(catalog, encoder),
            encoder=encoder.name,
            dimension=encoder.dimension,
            entries=len(entries),
        ),
        catalog=catalog,
        entries=entries,
        matcher=SignatureMatcher(entries),
        head=LexicalIndex.from_documents([head_text(entry) for entry in entries]),
        body=LexicalIndex.from_documents([body_text(entry) for entry in entries]),
        vectors=VectorIndex.from_vectors(np.concatenate(rows)),
        owners=np.asarray(owners, dtype=np.int32),
        texts=tuple(texts),
    )


def _file_hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def save_index(index: Index, root: Path) -> Path:
    """Write a version of the index beside the others and make it the current one.

    A reader sees the old index or the new one, never a mixture: files are written to a new folder and flushed, the
    folder is renamed, and only then the pointer file is replaced.

    Args:
        index: what `build_index` made.
        root: folder of all versions.

    Returns:
        The new version's folder.
    """
    root.mkdir(parents=True, exist_ok=True)
    # A new name each time: not even a version of the same content is touched while a reader may be in it.
    name = uuid.uuid4().hex[:8]
    work = root / f".building-{name}"
    work.mkdir()
    try:
        entries = [entry.model_dump(mode="json", by_alias=True, exclude={"samples"}) for entry in index.catalog]
        (work / "entries.json").write_text(
            json.dumps({"digest": index.catalog.digest, "entries": entries}, ensure_ascii=False),
            encoding="utf-8",
        )
        np.save(work / "owners.npy", index.owners, allow_pickle=False)
        (work / "passages.json").write_text(json.dumps(index.texts, ensure_ascii=False), encoding="utf-8")
        index.vectors.save(work / "vectors.faiss")
        index.head.save(work / "head")
        index.body.save(work / "body")
        manifest = index.manifest.model_copy(update={"files": _file_hashes(work)})
        (work / "manifest.json").write_text(manifest.model_dump_json(indent=1), encoding="utf-8")
        for path in (*work.rglob("*"), work):
            _sync(path)
        version = root / f"v-{index.manifest.content[:16]}-{name}"
        work.rename(version)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    pointer = root / f".{_CURRENT}-{name}"
    pointer.write_text(version.name, encoding="utf-8")
    _sync(pointer)
    pointer.replace(root / _CURRENT)
    _sync(root)
    _prune(root, version)
    return version


def _prune(root: Path, current: Path) -> None:
    versions = sorted(root.glob("v-*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in [path for path in versions if path != current][_KEPT_VERSIONS - 1 :]:
        shutil.rmtree(old, ignore_errors=True)


def current_version(root: Path) -> str | None:
    """Name of the current version; None when there is no index yet."""
    try:
        return (root / _CURRENT).read_text(encoding="utf-8").strip() or None
    except (OSError, ValueError):
        return None


def _manifest_of(folder: Path) -> Manifest | None:
    try:
        return Manifest.model_validate_json((folder / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def read_manifest(root: Path) -> Manifest | None:
    """Manifest of the current version; None when there is none that can be read."""
    name = current_version(root)
    return _manifest_of(root / name) if name else None


def load_index(root: Path) -> Index:
    """Read the current version, after checking every file against its hash.

    Args:
        root: folder of all versions.

    Raises:
        IndexNotReadyError: there is none, it is damaged, or another version of errdex wrote it.
    """
    name = current_version(root)  # read once: it may change while files are read
    manifest = _manifest_of(root / name) if name else None
    if name is None or manifest is None:
        raise IndexNotReadyError("There is no index yet; run `errdex index`.")
    if manifest.format != FORMAT:
        raise IndexNotReadyError("The index was written by another version of errdex; run `errdex index`.")
    try:
        return _read_version(root / name, manifest)
    except (OSError, ValueError, KeyError, TypeError) as error:
        # Pruned while it was read, or of a schema that this program no longer knows.
        raise IndexNotReadyError("The index cannot be read; run `errdex index`.") from error


def previous_index(root: Path) -> Index | None:
    """An index to take encodings from, so that only new passages are encoded; None when there is none that can be read."""
    try:
        return load_index(root)
    except IndexNotReadyError:
        return None


def _read_version(folder: Path, manifest: Manifest) -> Index:
    damaged = IndexNotReadyError("The index is damaged: a file does not have its recorded hash; run `errdex index`.")
    if _file_hashes(folder) != manifest.files:
        raise damaged
    stored = json.loads((folder / "entries.json").read_text(encoding="utf-8"))
    found = [Entry.model_validate(entry) for entry in stored["entries"]]
    catalog = Catalog(entries={entry.id: entry for entry in found}, digest=stored["digest"])
    entries = tuple(catalog.active)
    vectors = VectorIndex.load(folder / "vectors.faiss")
    # The manifest has no hash of its own: what it says must follow from the files.
    if (manifest.content, manifest.entries, manifest.dimension) != (
        _content_hash(catalog.digest, manifest.encoder),
        len(entries),
        vectors.dimension,
    ):
        raise damaged
    return Index(
        manifest=manifest,
        catalog=catalog,
        entries=entries,
        matcher=SignatureMatcher(entries),
        head=LexicalIndex.load(folder / "head"),
        body=LexicalIndex.load(folder / "body"),
        vectors=vectors,
        owners=np.load(folder / "owners.npy", allow_pickle=False),
        texts=tuple(json.loads((folder / "passages.json").read_text(encoding="utf-8"))),
    )
