import json
import os
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict
from typer.testing import CliRunner

from errdex.cli.app import app, main
from errdex.configuration import as_markdown, reference, unknown, unreadable
from errdex.settings import Settings
from tests.conftest import ROOT

CANARY = "canary-83aa1"


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.upper().startswith("ERRDEX_")]:
        monkeypatch.delenv(name)


def test_the_page_is_what_the_command_prints() -> None:
    printed = CliRunner().invoke(app, ["settings", "--markdown"]).stdout
    assert (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8") == printed == as_markdown()


def test_every_setting_is_listed_once() -> None:
    assert [row.variable for row in reference()] == [f"ERRDEX_{name.upper()}" for name in Settings.model_fields]
    assert all(row.default and row.meaning.endswith(".") for row in reference())


def test_no_default_names_a_folder_of_this_machine() -> None:
    assert not [row for row in reference() if str(ROOT) in row.default or str(Path.home()) in row.default]


def test_a_default_that_is_shown_is_the_one_that_holds() -> None:
    settings = Settings()
    for row in reference():
        held = getattr(settings, row.variable.removeprefix("ERRDEX_").lower())
        if row.default == "empty":
            assert held in ("", None)
        elif row.default.startswith("`") and not row.default.startswith(("`kb", "`build")):
            shown = row.default.strip("`")
            assert held == (json.loads(shown) if isinstance(held, bool) else type(held)(shown))


def test_the_table_names_each_variable_and_warns_of_a_misspelt_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRDEX_RATES", "120/minute")
    monkeypatch.setenv("ERRDEX_RATE", "120/minute")
    monkeypatch.setenv("COLUMNS", "200")
    done = CliRunner().invoke(app, ["settings"])
    assert all(row.variable in done.stdout for row in reference())
    assert done.stderr.splitlines() == ["ERRDEX_RATES is set, but no setting has this name."]


def test_unknown_variables_are_those_of_errdex_alone() -> None:
    assert list(unknown({"PATH": "/", "ERRDEX_KB": "x", "errdex_kb": "x", "ERRDEX_B": "1", "ERRDEX_A": "1"})) == [
        "ERRDEX_A",
        "ERRDEX_B",
    ]


def test_a_wrong_setting_stops_a_command_by_name_without_its_value(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ERRDEX_MAX_BODY", CANARY)
    monkeypatch.setattr("sys.argv", ["errdex", "explain", "AMP003"])
    with pytest.raises(SystemExit) as stopped:
        main()
    said = capsys.readouterr().err
    assert stopped.value.code == 2
    assert "ERRDEX_MAX_BODY: " in said
    assert CANARY not in said
    assert "Traceback" not in said


def test_all_wrong_settings_are_named_at_once() -> None:
    class Two(BaseSettings):
        model_config = SettingsConfigDict(env_prefix="ERRDEX_")

        a: Annotated[int, Field(ge=1)] = 0
        b: bool = False

    with pytest.raises(ValidationError) as caught:
        Two.model_validate({"a": 0, "b": CANARY})
    said = unreadable(caught.value).detail
    assert "ERRDEX_A: " in said
    assert "ERRDEX_B: " in said
    assert CANARY not in said
