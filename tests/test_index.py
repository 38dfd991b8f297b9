"""The index as an artefact: what is saved is what is loaded, and nothing in between is ever seen."""

import dataclasses
import io
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from errdex.arrays import array_bytes
from errdex.catalog import Catalog, load_catalog
from errdex.encoder import Encoder, Role
from errdex.errors import CatalogError, IndexNotReadyError
from errdex.index import FILES, Index, build_index, content_hash, load_index, passages, save_index
from errdex.lookup import Lookup
from errdex.manifest import FORMAT, MANIFEST_FILE, FileRecord, version_name
from errdex.versions import current_version, read_manifest
from tests.made import CountingEncoder
from tests.trees import ENTRY_TOML, plant

QUESTIONS = (
    "ValueError: Attempting to unscale FP16 gradients.",
    "显存不足怎么办",
    "my loss becomes nan after a few hundred steps, how do I find out why?",
    "AttributeError: 'Trainer' object has no attribute 'lever'",
    "the weather is fine",
)


def lever_catalog(kb: Path, entries: int = 1, wording: str = "the lever is stuck at") -> Catalog:
    for number in range(1, entries + 1):
        toml = ENTRY_TOML.replace("AMP001", f"AMP00{number}").replace("the lever is stuck at", f"{wording} {number}")
        plant(kb, {"entry.toml": toml}, slug=f"lever-{number}")
    return load_catalog(kb)


@pytest.fixture(scope="module")
def levers(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return lever_catalog(tmp_path_factory.mktemp("kb"))


@pytest.fixture(scope="module")
def small(levers: Catalog, encoder: Encoder) -> Index:
    return build_index(levers, encoder)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory, encoder: Encoder) -> Index:
    return build_index(lever_catalog(tmp_path_factory.mktemp("kb"), wording="the knob is stuck at"), encoder)


def same(one: Index, two: Index) -> bool:
    return (
        one.manifest.content == two.manifest.content
        and [entry.model_dump(exclude={"samples"}) for entry in one.entries]
        == [entry.model_dump(exclude={"samples"}) for entry in two.entries]
        and one.texts == two.texts
        and bool((one.owners == two.owners).all())
        and bool((one.vectors.rows() == two.vectors.rows()).all())
    )


def test_what_is_loaded_answers_as_what_was_built(index: Index, encoder: Encoder, tmp_path: Path) -> None:
    save_index(index, tmp_path / "index")
    loaded = load_index(tmp_path / "index")
    assert same(loaded, index)
    built, read = Lookup(index, encoder), Lookup(loaded, encoder)
    for question in QUESTIONS:
        assert built.answer(question, request_id="x") == read.answer(question, request_id="x")


def test_only_active_entries_are_indexed(tmp_path: Path, encoder: Encoder) -> None:
    lever_catalog(tmp_path, 2)
    toml = tmp_path / "entries" / "amp" / "lever-2" / "entry.toml"
    toml.write_text(toml.read_text(encoding="utf-8").replace('"active"', '"merged-into:AMP001"'), encoding="utf-8")
    built = build_index(load_catalog(tmp_path), encoder)
    assert [entry.id for entry in built.entries] == ["AMP001"]
    assert len(built.catalog) == 2
    assert set(built.owners.tolist()) == {0}


def test_without_an_active_entry_there_is_nothing_to_index(encoder: Encoder) -> None:
    with pytest.raises(CatalogError, match="no active entry"):
        build_index(Catalog(entries={}, digest="none"), encoder)


def test_each_passage_has_its_owner_and_its_vector(small: Index, encoder: Encoder, levers: Catalog) -> None:
    assert len(small.texts) == len(small.owners) == len(small.vectors)
    assert set(small.texts) == {text for entry in levers for text in passages(entry) if text.strip()}
    np.testing.assert_allclose(small.vectors.rows(), encoder.encode(small.texts, Role.PASSAGE), atol=1e-5)


def test_passages_are_short_and_in_every_language(catalog: Catalog) -> None:
    for entry in catalog:
        found = list(passages(entry))
        assert all(len(text) <= 300 for text in found)
        assert all(any(entry.pages[lang].title in text for text in found) for lang in entry.pages)


def test_progress_is_told_entry_by_entry(tmp_path: Path, encoder: Encoder) -> None:
    told: list[tuple[str, int, int]] = []
    build_index(lever_catalog(tmp_path, 2), encoder, lambda *step: told.append(step))
    assert [step[1:] for step in told] == [(1, 2), (2, 2)]


def test_what_has_not_changed_is_not_encoded_again(tmp_path: Path, small: Index, encoder: Encoder, levers: Catalog) -> None:
    counting = CountingEncoder(encoder)
    again = build_index(levers, counting, previous=small)
    assert counting.texts == []
    assert same(again, small)

    more = lever_catalog(tmp_path, 2)
    grown = build_index(more, counting, previous=small)
    assert set(counting.texts) == set(grown.texts) - set(small.texts)
    assert len(counting.texts) == len(set(counting.texts)) > 0
    assert (grown.vectors.rows() == build_index(more, encoder).vectors.rows()).all()


def test_another_encoder_encodes_everything(small: Index, encoder: Encoder, levers: Catalog) -> None:
    counting = CountingEncoder(encoder)
    foreign = dataclasses.replace(small, manifest=small.manifest.model_copy(update={"encoder": "another"}))
    build_index(levers, counting, previous=foreign)
    assert set(counting.texts) == set(small.texts)


def test_the_content_hash_names_knowledge_and_encoder(small: Index, other: Index, encoder: Encoder, levers: Catalog) -> None:
    assert small.manifest.content == content_hash(levers, encoder)
    assert small.manifest.content != other.manifest.content
    renamed = CountingEncoder(encoder)
    assert content_hash(levers, renamed) == small.manifest.content


def test_before_the_first_save_there_is_no_index(tmp_path: Path) -> None:
    assert current_version(tmp_path) is None
    assert read_manifest(tmp_path) is None
    with pytest.raises(IndexNotReadyError, match="There is no index yet"):
        load_index(tmp_path / "nowhere")


def test_a_saved_version_is_the_current_one(tmp_path: Path, small: Index, encoder: Encoder) -> None:
    version = save_index(small, tmp_path)
    assert (tmp_path / (current_version(tmp_path) or "")) == version
    manifest = read_manifest(tmp_path)
    assert manifest is not None
    assert (manifest.format, manifest.encoder, manifest.entries, manifest.dimension) == (
        FORMAT,
        encoder.name,
        1,
        encoder.dimension,
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "current", version.name]


@pytest.mark.skipif(os.name == "nt", reason="modes are those of POSIX")
def test_another_user_may_read_what_was_saved(tmp_path: Path, small: Index) -> None:
    before = os.umask(0o022)
    try:
        version = save_index(small, tmp_path / "index")
    finally:
        os.umask(before)
    for path in (version, *version.rglob("*"), tmp_path / "index" / "current"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o755 if path.is_dir() else 0o644), path


def test_no_sample_and_no_pickle_is_saved(tmp_path: Path, small: Index) -> None:
    version = save_index(small, tmp_path)
    assert "hit-plain" not in (version / "entries.json").read_text(encoding="utf-8")
    for path in version.glob("*.npy"):
        assert not np.load(path, allow_pickle=False).dtype.hasobject
    assert {path.name for path in version.iterdir()} == {*FILES, MANIFEST_FILE}


def test_a_flipped_bit_in_any_file_is_noticed(tmp_path: Path, small: Index) -> None:
    version = save_index(small, tmp_path)
    for path in version.iterdir():
        whole = path.read_bytes()
        for position in {0, len(whole) // 3, len(whole) // 2, len(whole) - 1}:
            path.write_bytes(whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :])
            with pytest.raises(IndexNotReadyError, match="errdex index"):
                load_index(tmp_path)
        path.write_bytes(whole)
    assert same(load_index(tmp_path), small)


def test_a_flipped_bit_anywhere_in_the_manifest_is_noticed(tmp_path: Path, small: Index) -> None:
    path = save_index(small, tmp_path) / MANIFEST_FILE
    whole = path.read_bytes()
    for position in range(0, len(whole), 3):
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 1 << position % 8]) + whole[position + 1 :])
        with pytest.raises(IndexNotReadyError, match="manifest"):
            load_index(tmp_path)


@pytest.mark.parametrize("change", ["missing", "added", "empty"])
def test_a_file_too_few_or_too_many_is_noticed(tmp_path: Path, small: Index, change: str) -> None:
    version = save_index(small, tmp_path)
    for path in [path for path in version.rglob("*") if path.is_file()]:
        whole = path.read_bytes()
        extra = path.with_name("extra.json")
        if change == "added":
            extra.write_bytes(b"{}")
        elif change == "empty":
            path.write_bytes(b"")
        else:
            path.unlink()
        with pytest.raises(IndexNotReadyError):
            load_index(tmp_path)
        path.write_bytes(whole)
        extra.unlink(missing_ok=True)


@pytest.mark.parametrize("pointer", [b"", b"  \n", b"v-gone", b"\xff\xfe", b"a\x00b", b"current"])
def test_a_pointer_to_nothing_is_no_index(tmp_path: Path, small: Index, pointer: bytes) -> None:
    save_index(small, tmp_path)
    (tmp_path / "current").write_bytes(pointer)
    assert read_manifest(tmp_path) is None
    with pytest.raises(IndexNotReadyError, match="errdex index"):
        load_index(tmp_path)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("format", FORMAT + 1, "another version of errdex"),
        ("format", 0, "another version of errdex"),
        ("entries", 2, "do not fit each other"),
        ("dimension", 7, "does not fit this program"),
        ("encoder", "another", "do not fit each other"),
        ("files", {}, "does not name the files"),
        ("extra", 1, "cannot be read"),
    ],
)
def test_a_manifest_that_does_not_fit_is_refused(tmp_path: Path, small: Index, key: str, value: object, message: str) -> None:
    path = save_index(small, tmp_path) / MANIFEST_FILE
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | {key: value}), encoding="utf-8")
    with pytest.raises(IndexNotReadyError, match="is not the one that current names"):
        load_index(tmp_path)
    agree(tmp_path)
    with pytest.raises(IndexNotReadyError, match=message):
        load_index(tmp_path)


def agree(root: Path) -> None:
    """Give the current version the name that its manifest asks for, and the manifest the hashes of the files."""
    folder = root / (root / "current").read_text(encoding="utf-8")
    path = folder / MANIFEST_FILE
    manifest = json.loads(path.read_text(encoding="utf-8"))
    for name in manifest["files"]:
        manifest["files"][name] = FileRecord.of((folder / name).read_bytes()).model_dump()
    path.write_text(json.dumps(manifest), encoding="utf-8")
    name = version_name(path.read_bytes())
    folder.rename(root / name)
    (root / "current").write_text(name, encoding="utf-8")


def wrong_entries(data: bytes) -> bytes:
    stored = json.loads(data)
    stored["entries"][0]["colour"] = "red"
    return json.dumps(stored).encode()


def wrong_pattern(data: bytes) -> bytes:
    return data.replace(rb"\\d+", b"(((")


def changed_array(change: Callable[[NDArray[Any]], NDArray[Any]]) -> Callable[[bytes], bytes]:
    return lambda data: array_bytes(change(np.load(io.BytesIO(data)).copy()))


def put(position: int, value: float) -> Callable[[NDArray[Any]], NDArray[Any]]:
    def change(array: NDArray[Any]) -> NDArray[Any]:
        array.flat[position] = value
        return array

    return change


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("entries.json", wrong_entries),
        ("entries.json", wrong_pattern),
        ("entries.json", lambda data: b"[" * 100_000),
        ("entries.json", lambda data: b"[]"),
        ("passages.json", lambda data: b"[1]"),
        ("passages.json", lambda data: b"[]"),
        ("owners.npy", changed_array(put(0, -1))),
        ("owners.npy", changed_array(put(0, 1))),
        ("owners.npy", changed_array(lambda array: array[:-1])),
        ("owners.npy", changed_array(lambda array: array.astype(np.int64))),
        ("vectors.npy", changed_array(put(5, np.nan))),
        ("vectors.npy", changed_array(put(5, np.inf))),
        ("vectors.npy", changed_array(lambda array: array * 2)),
        ("vectors.npy", changed_array(lambda array: array[:-1])),
        ("head.documents.npy", changed_array(put(0, 1 << 30))),
        ("head.documents.npy", changed_array(put(0, -1))),
        ("head.starts.npy", changed_array(put(1, 1 << 40))),
        ("head.starts.npy", changed_array(put(0, -8))),
        ("body.starts.npy", changed_array(lambda array: array[:-1])),
        ("body.weights.npy", changed_array(put(0, np.nan))),
        ("body.tokens.txt", lambda data: b"1"),
        ("body.tokens.txt", lambda data: data.replace(b"1\n", b"9\n", 1)),
    ],
)
def test_files_that_agree_with_their_hashes_and_not_with_each_other_are_refused(
    tmp_path: Path, small: Index, name: str, change: Callable[[bytes], bytes]
) -> None:
    path = save_index(small, tmp_path) / name
    before = path.read_bytes()
    path.write_bytes(change(before))
    assert path.read_bytes() != before
    agree(tmp_path)
    with pytest.raises(IndexNotReadyError, match="errdex index"):
        load_index(tmp_path)


def test_old_versions_are_removed_but_the_last(tmp_path: Path, small: Index, other: Index) -> None:
    first, second = save_index(small, tmp_path), save_index(other, tmp_path)
    assert first.is_dir()
    third = save_index(small, tmp_path)
    fourth = save_index(small, tmp_path)
    assert not first.exists()
    assert not second.exists()
    assert sorted(path.name for path in tmp_path.glob("v-*")) == sorted([third.name, fourth.name])
    assert same(load_index(tmp_path), small)


def test_a_version_of_the_same_content_is_not_written_over(tmp_path: Path, small: Index) -> None:
    first = save_index(small, tmp_path)
    before = {path: path.stat().st_ino for path in first.rglob("*")}
    assert save_index(small, tmp_path) != first
    assert {path: path.stat().st_ino for path in first.rglob("*")} == before
