import re
import shutil
from pathlib import Path

import pytest

from errdex.catalog import Catalog
from errdex.entry import LANGS, Lang
from errdex.errors import ErrdexError
from errdex.lookupbox import Hosting
from errdex.quality import quality_values
from errdex.scores import Scores, read_scores
from errdex.staging import stage_site
from errdex.stamp import text_hash
from errdex.words import Words, read_words
from tests.conftest import ROOT
from tests.made import make_entry

PUBLISHED = ROOT / "bench" / "results.json"


@pytest.fixture(scope="module")
def scores() -> Scores:
    return read_scores(PUBLISHED)


def spoken(lang: Lang) -> Words:
    return read_words(ROOT / "site" / "strings.toml").languages[lang]


def cells(rows: str) -> list[list[str]]:
    return [[cell.strip() for cell in row.strip(" |").split("|")] for row in rows.splitlines()]


def test_a_number_that_changes_in_the_file_changes_on_the_page(tmp_path: Path, catalog: Catalog) -> None:
    shutil.copytree(ROOT / "site", tmp_path / "site")
    shutil.copytree(ROOT / "bench", tmp_path / "bench")
    published = read_scores(PUBLISHED)
    area = published.figures.areas["amp"]
    changed = published.model_copy(
        update={
            "figures": published.figures.model_copy(
                update={"areas": {"amp": area.model_copy(update={"cases": 1000, "first": 871})}}
            )
        }
    )
    (tmp_path / "bench" / "results.json").write_text(changed.model_dump_json(), encoding="utf-8")
    stage_site(
        Catalog(entries={"AMP003": catalog.get("AMP003")}, digest="one"), tmp_path / "site", tmp_path / "out", Hosting("http://x")
    )
    for lang in LANGS:
        assert "| 1000 | 871 (87\u00a0%) |" in (tmp_path / "out" / lang / "quality.md").read_text(encoding="utf-8")


def test_the_figures_in_the_documentation_are_the_published_ones(scores: Scores) -> None:
    table = cells(
        "\n".join(re.findall(r"^\| .*\.\d{3} .*$", (ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8"), re.MULTILINE))
    )
    published = [
        [
            row.system,
            *(
                f"{figure:.3f}"
                for figure in (row.top1, row.top5, row.mrr, row.answered, row.precision, row.foreign, row.uncovered)
            ),
        ]
        for row in scores.figures.rows
    ]
    assert [[name, *(f"{float(figure):.3f}" for figure in figures)] for name, *figures in table] == published


@pytest.mark.parametrize("lang", LANGS)
def test_every_group_that_was_measured_has_its_name(lang: Lang, scores: Scores, catalog: Catalog) -> None:
    values = quality_values(scores, catalog, spoken(lang))
    assert len(cells(values["system_rows"])) == len(scores.figures.rows)
    assert len(cells(values["kind_rows"])) == len(scores.figures.kinds)
    assert sum(int(row[1]) for row in cells(values["area_rows"])) == scores.figures.cases


def test_the_curve_of_the_public_reports_is_of_all_of_them(scores: Scores) -> None:
    curve = scores.curves["public"]
    assert curve.texts == scores.figures.cases + scores.figures.uncovered + scores.figures.foreign
    assert curve.points[0].answered == curve.texts
    assert curve.points[-1].answered == 0
    assert [p.answered for p in curve.points] == sorted((p.answered for p in curve.points), reverse=True)


def test_what_the_page_says_of_the_reports_languages_is_so(scores: Scores) -> None:
    assert set(scores.figures.languages) == {"none", "en", "zh-CN"}


def test_a_threshold_between_two_points_has_the_figures_of_the_lower_one(scores: Scores, catalog: Catalog) -> None:
    rows = cells(quality_values(scores, catalog, spoken("en"))["risk_rows"])
    for row in rows[:-1]:
        answered = [
            sum(p.answered for p in curve.points if p == [q for q in curve.points if q.threshold <= float(row[0])][-1])
            for curve in scores.curves.values()
        ]
        assert [int(cell.split(" / ")[-1]) for cell in (row[2], row[4])] == answered
    assert rows[-1][2] == f"{scores.curves['public'].matched_wrong} / {scores.curves['public'].matched}"


def test_what_was_executed_and_why_the_rest_was_not_is_counted(scores: Scores) -> None:
    waiting = make_entry("MEM001", "out of memory").model_copy(
        update={"repro": make_entry().repro.model_copy(update={"needs": ["gpu"]})}
    )
    hopeless = make_entry("MEM002", "card is broken").model_copy(
        update={"repro": make_entry().repro.model_copy(update={"none": "A broken card."})}
    )
    values = quality_values(scores, Catalog(entries={e.id: e for e in (waiting, hopeless)}, digest="two"), spoken("en"))
    assert [row[:5] for row in cells(values["executed_rows"])] == [["Memory", "2", "0", "1", "1"]]
    assert cells(values["reason_rows"]) == [["not yet run here: needs a GPU", "1"], ["no program can show it", "1"]]


def test_a_translation_of_another_english_page_is_not_current(scores: Scores) -> None:
    entry = make_entry("MEM001", "out of memory")
    read = text_hash(entry.pages["en"].source.encode())
    stamped = entry.model_copy(update={"checked": entry.checked.model_copy(update={"zh_cn": read, "zh_tw": "en@00000000"})})
    values = quality_values(scores, Catalog(entries={"MEM001": stamped}, digest="one"), spoken("en"))
    assert [row[:3] for row in cells(values["language_rows"])] == [
        ["English", "1", "1 (100\u00a0%)"],
        ["简体中文", "1", "1 (100\u00a0%)"],
        ["繁體中文", "1", "0 (0\u00a0%)"],
    ]


def test_a_file_that_is_not_there_says_how_to_write_it(tmp_path: Path) -> None:
    with pytest.raises(ErrdexError, match="--publish"):
        read_scores(tmp_path / "results.json")
