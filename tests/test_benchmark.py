import io

import pytest
from rich.console import Console

from errdex.benchmark import load_cases, measure, print_results
from errdex.catalog import Catalog
from errdex.errors import ErrdexError
from errdex.scores import Figures
from errdex.settings import Settings
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def results(settings: Settings) -> Figures:
    # The naive peer costs a minute and torch; `errdex benchmark` runs it.
    return measure(settings, naive=False)


def test_an_exact_signature_is_always_first(results: Figures) -> None:
    assert results.exact > 0
    assert results.exact_first == results.exact


def test_foreign_inputs_are_not_answered(results: Figures) -> None:
    whole = next(row for row in results.rows if row.system == "all together")
    assert whole.foreign <= 0.05


def test_errors_without_an_entry_are_seldom_answered(results: Figures) -> None:
    whole = next(row for row in results.rows if row.system == "all together")
    assert whole.uncovered <= 0.05


def test_all_together_is_no_worse_than_a_part_where_it_answers(results: Figures) -> None:
    by_name = {row.system: row for row in results.rows}
    assert by_name["all together"].precision >= max(by_name[part].precision for part in ("BM25 only", "dense only"))


def test_the_table_names_every_system(results: Figures) -> None:
    console = Console(record=True, width=200, file=io.StringIO())
    print_results(results, console)
    text = console.export_text()
    assert all(row.system in text for row in results.rows)


def test_labels_refer_to_entries_and_families_that_exist(catalog: Catalog) -> None:
    import tomllib

    labels = tomllib.loads((ROOT / "bench" / "labels.toml").read_text(encoding="utf-8"))
    slugs = {entry.slug for entry in catalog}
    assert {entry_id for ids in labels.values() for entry_id in ids} <= set(catalog.entries)
    assert not set(labels) & slugs, "a family named like a slug needs no label"
    cases, _ = load_cases(catalog)
    assert len({case.id for case in cases}) == len(cases)


def test_outside_a_checkout_the_benchmark_says_what_it_needs(catalog: Catalog, tmp_path_factory: pytest.TempPathFactory) -> None:
    empty = tmp_path_factory.mktemp("empty")
    (empty / "labels.toml").write_text("", encoding="utf-8")
    with pytest.raises(ErrdexError, match="checkout"):
        load_cases(catalog, empty)
