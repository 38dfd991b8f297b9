import copy
import tomllib
from typing import Any

import pytest
from pydantic import ValidationError

from errdex.entry import AREAS, LANGS, Aliases, Checked, EntryFile, Repro, Run, Signature
from tests.made import make_entry
from tests.trees import ENTRY_TOML

CLEAN: dict[str, Any] = tomllib.loads(ENTRY_TOML)


def changed(**keys: Any) -> dict[str, Any]:  # noqa: ANN401  # a TOML table holds anything
    return copy.deepcopy(CLEAN) | keys


def test_the_clean_entry_is_one() -> None:
    entry = EntryFile.model_validate(CLEAN)
    assert (entry.id, entry.signature[0].multiline, entry.aliases.en) == ("AMP001", False, [])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", "amp001"),
        ("id", "AMP1"),
        ("id", "AMP0011"),
        ("status", "gone"),
        ("status", "merged-into:amp002"),
        ("kind", "question"),
        ("role", "effect"),
        ("products", []),
        ("products", "torch"),
        ("versions", {"torch": "new"}),
        ("versions", {"torch": ">=1.6<2"}),
        ("sources", []),
        ("sources", ["http://example.org"]),
        ("sources", ["https://example.org/a b"]),
        ("signature", [{"pattern": "short"}]),
        ("signature", [{"pattern": "long enough", "flags": "i"}]),
        ("signature", [{"pattern": "long enough", "versions": {"torch": "old"}}]),
        ("signature", []),
        ("repro", {"needs": "cuda"}),
        ("repro", {"none": "no hardware", "needs": ["cuda"]}),
        ("repro", {"none": "no hardware", "prints": True}),
        ("aliases", {"de": ["Hebel"]}),
        ("checked", {"run": {"python": "3.11", "device": "cpu"}}),
        ("colour", "red"),
    ],
)
def test_a_wrong_value_is_refused(key: str, value: object) -> None:
    with pytest.raises(ValidationError) as caught:
        EntryFile.model_validate(changed(**{key: value}))
    assert key in str(caught.value) or "[[signature]]" in str(caught.value)


@pytest.mark.parametrize(
    "key", ["id", "status", "kind", "role", "products", "versions", "exceptions", "related", "sources", "repro"]
)
def test_a_key_that_is_missing_is_named(key: str) -> None:
    with pytest.raises(ValidationError, match=key):
        EntryFile.model_validate({name: value for name, value in CLEAN.items() if name != key})


@pytest.mark.parametrize("status", ["active", "retired", "merged-into:AMP002"])
def test_a_status_is_one_of_three(status: str) -> None:
    assert EntryFile.model_validate(changed(status=status)).status == status


def test_a_guide_has_no_signature() -> None:
    with pytest.raises(ValidationError, match="a guide answers a question"):
        EntryFile.model_validate(changed(kind="guide"))
    assert EntryFile.model_validate(changed(kind="guide", signature=[])).signature == []


def test_a_wrong_range_is_explained() -> None:
    with pytest.raises(ValidationError, match="'new' is not a PEP 440 range such as"):
        EntryFile.model_validate(changed(versions={"torch": "new"}))


def test_library_versions_stand_beside_the_other_keys_of_a_run() -> None:
    run = Run.model_validate({"torch": "2.13.0", "peft": "0.21", "python": "3.11.2", "device": "cpu", "date": "2026-01-02"})
    assert run.versions == {"torch": "2.13.0", "peft": "0.21"}
    assert Run.model_validate(run.model_dump()) == run


def test_languages_keep_their_own_spelling_on_disk() -> None:
    checked = Checked.model_validate({"zh-CN": "aa", "zh-TW": "bb"})
    assert (checked.zh_cn, checked.zh_tw) == ("aa", "bb")
    assert checked.model_dump(by_alias=True) == {"run": None, "zh-CN": "aa", "zh-TW": "bb"}


def test_aliases_are_of_a_language() -> None:
    aliases = Aliases.model_validate({"en": ["a"], "zh-CN": ["b"], "zh-TW": ["c"]})
    assert [aliases.of(lang) for lang in LANGS] == [["a"], ["b"], ["c"]]


def test_nothing_changes_afterwards() -> None:
    entry = EntryFile.model_validate(CLEAN)
    with pytest.raises(ValidationError, match="frozen"):
        entry.status = "retired"  # type: ignore[misc]  # that it is refused is the point


@pytest.mark.parametrize(("generic", "whole"), [((True, True), True), ((True, False), False), ((), False)])
def test_an_entry_is_generic_when_each_signature_is(generic: tuple[bool, ...], whole: bool) -> None:
    signatures = [Signature(pattern=f"some wording {number}", generic=flag) for number, flag in enumerate(generic)]
    assert make_entry("AMP001", *signatures).generic is whole


def test_a_page_stands_below_its_area() -> None:
    entry = make_entry("DST007", "some wording")
    assert entry.path == "dst/slug-of-dst007"
    assert entry.area in AREAS


def test_a_program_that_shows_nothing_says_why() -> None:
    assert Repro(none="needs eight GPUs").needs == []
