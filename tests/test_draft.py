from datetime import date
from pathlib import Path

import pytest

from errdex.catalog import PACKAGE, load_catalog
from errdex.checks import run_checks
from errdex.draft import first_pattern, write_draft
from errdex.errors import InputError
from errdex.page import SECTION_IDS
from errdex.patterns import compile_pattern
from tests.trees import plant

LOG = """\
step 3 loss 2.31
Traceback (most recent call last):
  File "/home/maria/run/train.py", line 3, in <module>
    main()
levers.LeverError: the lever's stuck at 12 (of [30])
"""


def draft(
    kb: Path, area: str = "amp", slug: str = "lever-is-loose", log: str = LOG, source: str = "https://example.org/a"
) -> Path:
    return write_draft(kb, area, slug, log, products=["torch"], sources=[source], added=date(2026, 12, 1))


def test_a_draft_is_an_entry_with_the_next_id_and_a_signature_that_finds_its_own_log(tmp_path: Path) -> None:
    plant(tmp_path)
    folder = draft(tmp_path)
    entry = load_catalog(tmp_path).get("lever-is-loose")
    assert folder == tmp_path / "entries" / "amp" / "lever-is-loose"
    assert (entry.id, entry.exceptions, entry.products) == ("AMP002", ["LeverError"], ["torch"])
    assert entry.sources == ["https://example.org/a"]
    assert entry.pages["zh-TW"].title == "LeverError: the lever's stuck at 12 (of [30])"
    assert tuple(section.anchor for section in entry.pages["zh-CN"].sections) == SECTION_IDS
    assert compile_pattern(entry.signature[0].pattern).search(entry.samples["hit-report.txt"])
    assert compile_pattern(entry.signature[0].pattern).search("the lever's stuck at 7 (of [8])")


def test_the_sample_holds_no_names(tmp_path: Path) -> None:
    sample = (draft(tmp_path) / "samples" / "hit-report.txt").read_text(encoding="utf-8")
    assert "maria" not in sample
    assert "/home/user/run/train.py" in sample


def test_the_checks_list_what_is_still_to_be_written(tmp_path: Path) -> None:
    plant(tmp_path)
    draft(tmp_path)
    rules = {finding.rule for finding in run_checks(tmp_path, ["lever-is-loose"])}
    assert {"scripts", "title", "sections", "fixes", "translations", "samples"} <= rules
    assert "key-order" not in rules


def test_a_message_without_an_exception_becomes_a_draft_too(tmp_path: Path) -> None:
    draft(tmp_path, log="[rank0]: NCCL WARN could not find a fabric on card 3")
    entry = load_catalog(tmp_path).get("lever-is-loose")
    assert (entry.id, entry.exceptions) == ("AMP001", [])
    assert "could not find a fabric" in entry.signature[0].pattern


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"area": "xyz"}, "area"),
        ({"slug": "../escape-it"}, "slug"),
        ({"slug": "Lever Is Loose"}, "slug"),
        ({"slug": "lever-is-stuck"}, "slug"),
        ({"area": "mem", "slug": "lever-is-stuck"}, "slug"),
        ({"log": "the weather is fine"}, "log"),
        ({"log": "Killed"}, "log"),
        ({"source": "http://example.org"}, "source"),
    ],
)
def test_what_cannot_be_used_is_refused_and_nothing_is_written(tmp_path: Path, changes: dict[str, str], field: str) -> None:
    plant(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError) as refusal:
        draft(tmp_path, **changes)
    assert refusal.value.field == field
    assert sorted(tmp_path.rglob("*")) == before


def test_an_entry_is_not_written_into_an_installed_package() -> None:
    with pytest.raises(InputError, match="checkout"):
        draft(PACKAGE / "kb")


def test_a_pattern_keeps_the_words_and_opens_the_numbers() -> None:
    assert first_pattern("got 3.5 (of [30]) in C:\\x") == r"got \d+\.\d+ \(of \[\d+\]\) in C:\\x"
