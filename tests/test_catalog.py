import shutil
from pathlib import Path

import pytest

from errdex.catalog import Catalog, knowledge_folder, load_catalog, read_entries
from errdex.errors import CatalogError, UnknownEntryError
from tests.trees import ENTRY_TOML, plant


def findings(kb: Path) -> list[str]:
    return read_entries(kb)[1]


def test_a_clean_folder_is_a_catalog(tmp_path: Path) -> None:
    folder = plant(tmp_path)
    catalog = load_catalog(tmp_path)
    (entry,) = catalog
    assert (len(catalog), entry.id, entry.area, entry.slug) == (1, "AMP001", "amp", folder.name)
    assert set(entry.scripts) == {"broken.py", "fixed.py"}
    assert "hit-plain.txt" in entry.samples
    assert entry.pages["zh-TW"].title.startswith("ValueError")


@pytest.mark.parametrize(
    ("name", "text", "finding"),
    [
        ("entry.toml", None, "entry.toml: missing: "),
        ("en.md", None, "en.md: missing: "),
        ("zh-CN.md", None, "zh-CN.md: missing: "),
        ("zh-TW.md", None, "zh-TW.md: missing: "),
        ("notes.txt", "x", "notes.txt: unexpected: remove it"),
        (".DS_Store", "x", ".DS_Store: unexpected: remove it"),
        ("entry.toml", "id = ", "entry.toml: toml: "),
        ("entry.toml", ENTRY_TOML + "colour = 1\n", "entry.toml: schema: repro.colour: "),
        ("entry.toml", "colour = 1\n" + ENTRY_TOML, "entry.toml: schema: colour: "),
        ("entry.toml", ENTRY_TOML.replace('"AMP001"', '"amp1"'), "entry.toml: schema: id: "),
        ("entry.toml", ENTRY_TOML.replace("AMP001", "DST001"), "entry.toml: area: DST001 belongs in kb/entries/dst/"),
        (
            "entry.toml",
            ENTRY_TOML.replace('"error"', '"guide"'),
            "entry.toml: schema: entry: Value error, a guide answers a question",
        ),
        ("samples/deep/hit-a.txt", "x", "samples/deep: file: cannot be read"),
    ],
)
def test_what_is_wrong_is_one_finding(tmp_path: Path, name: str, text: str | None, finding: str) -> None:
    plant(tmp_path, {name: text})
    (found,) = findings(tmp_path)
    assert finding in found
    with pytest.raises(CatalogError) as caught:
        load_catalog(tmp_path)
    assert caught.value.findings == (found,)


@pytest.mark.parametrize("name", ["entry.toml", "en.md", "zh-TW.md", "fixed.py", "samples/hit-plain.txt"])
def test_a_file_that_is_not_utf8_is_one_finding(tmp_path: Path, name: str) -> None:
    folder = plant(tmp_path)
    (folder / name).write_bytes("显存不足".encode("gbk"))
    (found,) = findings(tmp_path)
    assert found == f"{folder / name}: encoding: not UTF-8; save the file as UTF-8"


def test_a_link_to_nowhere_is_a_finding(tmp_path: Path) -> None:
    folder = plant(tmp_path)
    (folder / "samples" / "hit-gone.txt").symlink_to(folder / "nowhere")
    assert "hit-gone.txt: file: cannot be read" in findings(tmp_path)[0]


def test_two_entries_with_one_id(tmp_path: Path) -> None:
    plant(tmp_path)
    plant(tmp_path, slug="other-lever")
    (found,) = findings(tmp_path)
    assert "other-lever: id: AMP001 is taken by amp/lever-is-stuck" in found


def test_two_entries_with_one_slug(tmp_path: Path) -> None:
    folder = plant(tmp_path)
    other = tmp_path / "entries" / "dst" / folder.name
    shutil.copytree(folder, other)
    (other / "entry.toml").write_text(ENTRY_TOML.replace("AMP001", "DST001"), encoding="utf-8")
    (found,) = findings(tmp_path)
    assert "slug: lever-is-stuck is taken by AMP001" in found


def test_every_finding_comes_at_once(tmp_path: Path) -> None:
    plant(tmp_path, {"en.md": None, "zh-CN.md": None, "notes.txt": "x"})
    plant(tmp_path, {"entry.toml": "id = "}, slug="other-lever")
    assert len(findings(tmp_path)) == 4


def test_one_broken_entry_leaves_the_others_readable(tmp_path: Path) -> None:
    plant(tmp_path)
    plant(tmp_path, {"en.md": None, "entry.toml": ENTRY_TOML.replace("AMP001", "AMP002")}, slug="other-lever")
    assert set(read_entries(tmp_path)[0]) == {"AMP001"}


def test_an_area_that_is_none_is_a_finding(tmp_path: Path) -> None:
    folder = plant(tmp_path)
    folder.parent.rename(tmp_path / "entries" / "xyz")
    assert "belongs in kb/entries/amp/" in findings(tmp_path)[0]


def test_no_folder_of_entries_is_a_finding_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="ERRDEX_KB"):
        load_catalog(tmp_path)


@pytest.mark.parametrize("wanted", ["AMP001", "amp001", " AMP001\n", "lever-is-stuck", "Lever-Is-Stuck"])
def test_an_entry_is_found_by_id_or_slug(tmp_path: Path, wanted: str) -> None:
    plant(tmp_path)
    assert load_catalog(tmp_path).get(wanted).id == "AMP001"


@pytest.mark.parametrize("wanted", ["", "AMP999", "lever", "../amp"])
def test_an_unknown_id_is_refused(catalog: Catalog, wanted: str) -> None:
    with pytest.raises(UnknownEntryError) as caught:
        catalog.get(wanted)
    assert caught.value.field == "id"


def test_only_active_entries_answer(tmp_path: Path) -> None:
    plant(tmp_path)
    plant(tmp_path, {"entry.toml": ENTRY_TOML.replace("AMP001", "AMP002").replace('"active"', '"retired"')}, slug="other-lever")
    catalog = load_catalog(tmp_path)
    assert [entry.id for entry in catalog] == ["AMP001", "AMP002"]
    assert [entry.id for entry in catalog.active] == ["AMP001"]


@pytest.mark.parametrize(
    ("name", "text", "same"),
    [
        ("samples/hit-plain.txt", "ValueError: the lever is stuck at 4\n", True),
        ("fixed.py", "print()\n", False),
        ("en.md", "# Other\n", False),
        ("entry.toml", ENTRY_TOML.replace("torch", "peft"), False),
    ],
)
def test_the_digest_changes_with_what_answers(tmp_path: Path, name: str, text: str, same: bool) -> None:
    folder = plant(tmp_path)
    before = load_catalog(tmp_path).digest
    assert load_catalog(tmp_path).digest == before
    (folder / name).write_text(text, encoding="utf-8")
    assert (load_catalog(tmp_path).digest == before) is same


def test_the_real_knowledge_is_ordered_by_id(catalog: Catalog) -> None:
    assert list(catalog.entries) == sorted(catalog.entries)
    assert (knowledge_folder() / "entries").is_dir()
