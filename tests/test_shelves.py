from collections import Counter
from pathlib import Path

import pytest

from errdex.catalog import PACKAGE, load_catalog
from errdex.shelves import Shelves, report_counts
from tests.sheets import catalog, entry

ONE = entry(id="MEM001", slug="one")
TWO = entry(id="MEM002", slug="two", products=["torch"], exceptions=["ValueError", "RuntimeError"])
GUIDE = entry(id="AMP001", slug="guide", area="amp", kind="guide", signature=[], exceptions=[], products=["peft"])
GONE = entry(id="MEM003", slug="gone", status="retired", products=["apex"])


def ids(shelves: Shelves, path: str) -> list[str]:
    found = [shelf for family in shelves.families.values() for shelf in family if shelf.path == path]
    assert len(found) == 1, path
    return [one.id for one in found[0].entries]


def test_entries_stand_by_area_library_and_exception_and_retired_ones_nowhere() -> None:
    shelves = Shelves(catalog(ONE, TWO, GUIDE, GONE))
    assert ids(shelves, "mem/index") == ["MEM001", "MEM002"]
    assert ids(shelves, "library/torch") == ["MEM001", "MEM002"]
    assert ids(shelves, "library/accelerate") == ["MEM001"]
    assert ids(shelves, "exception/ValueError") == ["MEM002"]
    assert [guide.id for guide in shelves.guides] == ["AMP001"]
    assert "apex" not in {shelf.name for shelf in shelves.families["library"]}


def test_the_fullest_shelf_of_a_family_comes_first_and_areas_keep_their_order() -> None:
    shelves = Shelves(catalog(ONE, TWO, GUIDE))
    assert [shelf.name for shelf in shelves.families["library"]] == ["torch", "accelerate", "peft"]
    assert [shelf.name for shelf in shelves.families["area"]] == ["amp", "mem"]


def test_the_most_reported_entry_comes_first_and_ties_go_by_id() -> None:
    assert [e.id for e in Shelves(catalog(ONE, TWO, GUIDE)).entries] == ["AMP001", "MEM001", "MEM002"]
    counted = Shelves(catalog(ONE, TWO, GUIDE), Counter({"MEM002": 3}))
    assert [e.id for e in counted.entries] == ["MEM002", "AMP001", "MEM001"]
    assert ids(counted, "library/torch") == ["MEM002", "MEM001"]


def test_codes_have_shelves_of_their_kind() -> None:
    one = entry(signature=[{"pattern": r"\bcudaErrorInsufficientDriver\b"}])
    shelf = Shelves(catalog(one)).families["code"][0]
    assert (shelf.kind, shelf.path) == ("gpu", "code/gpu/cudaErrorInsufficientDriver")


def test_reports_are_counted_by_the_labels(tmp_path: Path) -> None:
    (tmp_path / "labels.toml").write_text('"old-name" = ["MEM002"]\n', encoding="utf-8")
    (tmp_path / "out_of_scope.jsonl").write_text("", encoding="utf-8")
    row = '{"id": "%s", "text": "x", "kind": "traceback", "lang": "en", "family": "%s"}\n'
    rows = [row % ("a", "one"), row % ("b", "old-name"), row % ("c", "old-name"), row % ("d", "unknown")]
    (tmp_path / "cases.jsonl").write_text("".join(rows), encoding="utf-8")
    assert report_counts(catalog(ONE, TWO), tmp_path) == {"MEM001": 1, "MEM002": 2}


def test_without_labelled_reports_nothing_is_counted(tmp_path: Path) -> None:
    assert report_counts(catalog(ONE), tmp_path / "bench") == {}


@pytest.mark.parametrize("family", ["area", "library", "exception", "code"])
def test_every_active_entry_of_the_knowledge_stands_where_it_belongs(family: str) -> None:
    knowledge = load_catalog()
    shelves = Shelves(knowledge, report_counts(knowledge, PACKAGE.parents[1] / "bench"))
    shelved = {e.id for shelf in dict(shelves.families)[family] for e in shelf.entries}  # type: ignore[index]  # a plain str
    wanted = {e.id for e in knowledge.active if family in ("area", "library") or (family == "exception" and e.exceptions)}
    assert shelved >= wanted
    assert shelves.reports.total() > 0
