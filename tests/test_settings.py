import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from errdex.catalog import knowledge_folder
from errdex.settings import MIB, Settings
from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.upper().startswith("ERRDEX_")]:
        monkeypatch.delenv(name)


def test_nothing_has_to_be_set() -> None:
    settings = Settings()
    assert settings.kb == knowledge_folder()
    assert (settings.index, settings.site) == (ROOT / "build" / "index", ROOT / "build" / "site")
    assert (settings.model, settings.max_body, settings.contribute_url) == (None, MIB, "")
    assert settings.base_url == "http://127.0.0.1:8000"


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("kb", "/data/kb", Path("/data/kb")),
        ("index", "/data/index", Path("/data/index")),
        ("site", "relative/site", Path("relative/site")),
        ("model", "intfloat/multilingual-e5-large", "intfloat/multilingual-e5-large"),
        ("max_body", "2048", 2048),
        ("base_url", "https://errors.example.org/", "https://errors.example.org/"),
        ("contribute_url", "https://forge.example.org/new?title={title}", "https://forge.example.org/new?title={title}"),
    ],
)
def test_each_setting_has_its_variable(monkeypatch: pytest.MonkeyPatch, name: str, text: str, value: object) -> None:
    monkeypatch.setenv(f"ERRDEX_{name.upper()}", text)
    settings = Settings()
    assert getattr(settings, name) == value
    others = {key for key in Settings.model_fields if key != name}
    monkeypatch.delenv(f"ERRDEX_{name.upper()}")
    assert settings.model_dump(include=others) == Settings().model_dump(include=others)


def test_every_setting_is_described() -> None:
    assert all(field.description for field in Settings.model_fields.values())


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_an_empty_variable_is_none(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(f"ERRDEX_{name.upper()}", "")
    empty = Settings()
    monkeypatch.delenv(f"ERRDEX_{name.upper()}")
    assert empty == Settings()


@pytest.mark.parametrize("text", ["1023", "0", "-5", "1MB", "1e6", "1024.5", "many"])
def test_a_wrong_size_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("ERRDEX_MAX_BODY", text)
    with pytest.raises(ValidationError, match="max_body"):
        Settings()


def test_other_variables_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INDEX", "/elsewhere")
    monkeypatch.setenv("ERRDEX_COLOUR", "red")
    assert Settings().index == ROOT / "build" / "index"


def test_settings_do_not_change_afterwards() -> None:
    settings = Settings()
    with pytest.raises(ValidationError, match="frozen"):
        settings.max_body = 5000  # type: ignore[misc]  # that it is refused is the point
