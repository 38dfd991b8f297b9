import io
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from errdex import latency
from errdex.cli.app import app
from errdex.errors import ErrdexError
from errdex.latency import measure_scale, measure_speed, print_speed, publish_speed, section, to_markdown
from errdex.settings import Settings
from errdex.speed import read_speed
from tests.conftest import ROOT
from tests.made import made_speed


def test_the_tables_name_every_server_bar_and_caveat() -> None:
    console = Console(record=True, width=220, file=io.StringIO())
    print_speed(made_speed(), console)
    shown = console.export_text()
    for text in (
        "errdex",
        "echo",
        "not measured",
        "missed",
        "0.80 ms (0.70 to 0.90)",
        "txtai: not installed",
        "load average 1.50",
        "2.0%",
    ):
        assert text in shown


def test_a_run_that_is_published_is_read_again_and_stands_on_the_page(tmp_path: Path) -> None:
    page, path, speed = tmp_path / "page.md", tmp_path / "results.json", made_speed()
    page.write_text((ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8"), encoding="utf-8")
    for _ in range(2):  # a second time replaces the first
        publish_speed(speed, path, page)
    assert read_speed(path) == speed
    assert section(page)[1] == to_markdown(speed)
    assert page.read_text(encoding="utf-8").startswith("# Benchmark\n")


def test_the_documentation_shows_what_was_published_and_nothing_else() -> None:
    published = read_speed(ROOT / "bench" / "speed" / "results.json")
    assert section(ROOT / "docs" / "benchmark.md")[1] == to_markdown(published)


def test_a_page_without_a_place_for_the_figures_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Nothing\n", encoding="utf-8")
    with pytest.raises(ErrdexError, match="no lines"):
        publish_speed(made_speed(), tmp_path / "results.json", page)
    assert page.read_text(encoding="utf-8") == "# Nothing\n"
    assert not (tmp_path / "results.json").exists()


def test_figures_that_cannot_be_read_say_what_writes_them(tmp_path: Path) -> None:
    with pytest.raises(ErrdexError, match=r"--publish results\.json"):
        read_speed(tmp_path / "results.json")


def test_outside_a_checkout_the_benchmark_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latency, "CHECKOUT", tmp_path)
    with pytest.raises(ErrdexError, match="checkout"):
        measure_scale(Settings())


def test_a_run_that_fails_is_an_error_of_errdex(tmp_path: Path) -> None:
    with pytest.raises(ErrdexError, match=r"bench\.speed stopped with status 1"):
        measure_speed(Settings(index=tmp_path), quick=True, systems=("errdex", "echo"))


def test_options_of_the_speed_benchmark_alone_are_refused() -> None:
    done = CliRunner().invoke(app, ["benchmark", "--quick"])
    assert done.exit_code == 2
    assert "--speed" in done.output
