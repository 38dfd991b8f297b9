import json
import re
from pathlib import Path

import pytest

from errdex import lines, redact
from errdex.browser import browser_lookup, knowledge, texts
from errdex.catalog import Catalog
from errdex.entry import LANGS
from errdex.errors import SiteError
from errdex.lexical import tokenize
from errdex.ranking import load_coefficients
from tests.conftest import ROOT
from tests.made import make_entry

SCRIPTS = ROOT / "site" / "lookup"


def small() -> Catalog:
    first, second = make_entry("AMP001", "Out of cheese (?P<size>.+)"), make_entry("AMP002", "(?i)no tea")
    return Catalog(entries={first.id: first, second.id: second}, digest="d")


def test_constants_travel_under_their_own_names() -> None:
    constants = json.loads(json.dumps(knowledge(small())["constants"]))
    assert constants["lines"]["MAX_LINE"] == lines.MAX_LINE
    assert constants["lines"]["ANSI"]["pattern"].startswith(r"\x1b")
    assert len(constants["redact"]["RULES"]) == len(redact.RULES)
    assert "ChildFailedError" in constants["report"]["WRAPPER_TYPES"]


def test_signatures_travel_with_their_needles() -> None:
    first, second = json.loads(json.dumps(knowledge(small())["signatures"]))
    assert (first["pattern"], first["flags"], first["needles"]) == (r"Out of cheese (?<size>[^\n]+)", "m", ["out of cheese "])
    assert (second["pattern"], second["flags"], second["entry"]) == ("no tea", "im", 1)


def test_statistics_count_every_token() -> None:
    head = json.loads(json.dumps(knowledge(small())["head"]))
    assert len(head["lengths"]) == 2
    assert sum(count for postings in head["postings"].values() for count in postings[1::2]) == sum(head["lengths"])
    assert set(tokenize("cheese")) <= set(head["postings"])


def test_it_ranks_by_the_words_alone() -> None:
    assert knowledge(small())["coefficients"] == load_coefficients(model=False).model_dump()


def test_chinese_is_folded_by_pairs_of_characters() -> None:
    simplified = knowledge(small())["simplified"]
    assert isinstance(simplified, str)
    pairs = dict(re.findall("(.)(.)", simplified))
    assert pairs["體"] == "体"
    assert "体" not in pairs


def test_only_active_entries_answer() -> None:
    retired = make_entry("AMP003").model_copy(update={"status": "retired"})
    catalog = Catalog(entries={**small().entries, retired.id: retired}, digest="d")
    assert [entry["id"] for entry in knowledge(catalog)["entries"]] == ["AMP001", "AMP002"]  # type: ignore[attr-defined]
    assert all(len(texts(catalog, lang)) == 2 for lang in LANGS)


def test_the_folder_is_named_by_its_content() -> None:
    one, again = browser_lookup(small(), SCRIPTS), browser_lookup(small(), SCRIPTS)
    other = browser_lookup(Catalog(entries={"AMP001": make_entry("AMP001")}, digest="d"), SCRIPTS)
    assert one == again
    assert one.folder != other.folder
    assert {"worker.js", "knowledge.json", "texts.zh-TW.json"} <= set(one.files)


def test_without_scripts_there_is_no_lookup(tmp_path: Path) -> None:
    with pytest.raises(SiteError, match="no scripts"):
        browser_lookup(small(), tmp_path)
