"""The index as one artefact: built from a catalog, saved whole or not at all, checked before it is used."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from errdex.arrays import array_bytes, array_of
from errdex.catalog import Catalog
from errdex.encoder import Encoder, Role
from errdex.entry import LANGS, Entry
from errdex.errors import CatalogError, IndexNotReadyError
from errdex.lexical import FILES as WORD_FILES
from errdex.lexical import LexicalIndex
from errdex.manifest import FORMAT, Manifest, content_of
from errdex.signatures import SignatureMatcher, literal_words
from errdex.vectors import VectorIndex
from errdex.versions import Version, named_version, read_version
from errdex.writer import write_version

FILES = (
    *("entries.json", "owners.npy", "passages.json", "vectors.npy"),
    *(f"{stage}.{name}" for stage in ("head", "body") for name in WORD_FILES),
)
_PASSAGE_CHARACTERS = 300
_WORDINGS = 4  # of one entry that are encoded; more are variants of the same words

Progress = Callable[[str, int, int], None]


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


def content_hash(catalog: Catalog, encoder: Encoder) -> str:
    """Identity of the index that this catalog and this encoder make."""
    return content_of(catalog.digest, encoder.name)


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


def _word_files(stage: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {f"{stage}.{name}": data for name, data in files.items()}


def save_index(index: Index, root: Path) -> Path:
    """Write a version of the index beside the others and make it the current one; a reader sees the old or the new one.

    Args:
        index: what `build_index` made.
        root: folder of all versions.

    Returns:
        The new version's folder.

    Raises:
        IndexWriteError: it cannot be written there.
    """
    entries = [entry.model_dump(mode="json", by_alias=True, exclude={"samples"}) for entry in index.catalog]
    files = {
        "entries.json": json.dumps({"digest": index.catalog.digest, "entries": entries}, ensure_ascii=False).encode(),
        "owners.npy": array_bytes(index.owners),
        "passages.json": json.dumps(index.texts, ensure_ascii=False).encode(),
        "vectors.npy": index.vectors.to_bytes(),
        **_word_files("head", index.head.to_files()),
        **_word_files("body", index.body.to_files()),
    }
    return write_version(root, index.manifest, files)


def load_index(root: Path) -> Index:
    """Read the current version, after checking every file against its hash.

    Args:
        root: folder of all versions.

    Raises:
        IndexNotReadyError: there is none, it is damaged, or another version of errdex wrote it.
    """
    name = named_version(root)
    while True:
        try:
            return _index_of(read_version(root, name, FILES))
        except MemoryError as error:
            raise IndexNotReadyError("The index cannot be read: there is not enough memory for it.") from error
        except IndexNotReadyError:
            newer = named_version(root)
            if newer == name:
                raise
            name = newer  # the other one was removed while it was read


def previous_index(root: Path) -> Index | None:
    """An index to take encodings from, so that only new passages are encoded; None when there is none that can be read."""
    try:
        return load_index(root)
    except IndexNotReadyError:
        return None


def _index_of(version: Version) -> Index:
    """The index in files that are as they were written; that they fit each other is still checked.

    Raises:
        IndexNotReadyError: they do not, or this program does not know their schema.
    """
    try:
        index = _parsed(version)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, CatalogError) as error:
        raise IndexNotReadyError("The index cannot be read: a file does not fit this program; run `errdex index`.") from error
    manifest, rows, entries = index.manifest, len(index.vectors), len(index.entries)
    if not (
        manifest.fits(index.catalog.digest, manifest.encoder)
        and manifest.entries == entries == len(index.head) == len(index.body)
        and rows == len(index.owners) == len(index.texts)
        and bool(((index.owners >= 0) & (index.owners < entries)).all())
    ):
        raise IndexNotReadyError("The index is damaged: its files do not fit each other; run `errdex index`.")
    return index


class _Stored(BaseModel):
    """`entries.json`."""

    digest: str
    entries: list[Entry]


def _parsed(version: Version) -> Index:
    files = version.files
    stored = _Stored.model_validate_json(files["entries.json"])
    catalog = Catalog(entries={entry.id: entry for entry in stored.entries}, digest=stored.digest)
    entries = tuple(catalog.active)
    texts = json.loads(files["passages.json"])
    if not (isinstance(texts, list) and all(isinstance(text, str) for text in texts)):
        raise TypeError("passages are texts")
    return Index(
        manifest=version.manifest,
        catalog=catalog,
        entries=entries,
        matcher=SignatureMatcher(entries),
        head=LexicalIndex.from_files({name: files[f"head.{name}"] for name in WORD_FILES}),
        body=LexicalIndex.from_files({name: files[f"body.{name}"] for name in WORD_FILES}),
        vectors=VectorIndex.from_bytes(files["vectors.npy"], version.manifest.dimension),
        owners=array_of(files["owners.npy"], np.int32),
        texts=tuple(texts),
    )
