"""The pages that people write: alike in three languages, and true of the program."""

import re
from pathlib import Path

import pytest
import typer.main
from fastapi.openapi.utils import get_openapi
from typer.core import TyperGroup

from errdex.cli.app import app as command_line
from errdex.entry import LANGS
from errdex.handbook import HANDBOOK
from errdex.language_rules import EDITIONS, LANGUAGE_RULES, Edition, read_conventions
from errdex.models import Answer, LookupRequest, Result
from errdex.page import headings
from errdex.settings import Settings
from errdex.web.app import create_app
from errdex.web.problems import RESPONSES
from tests.conftest import ROOT
from tests.site.examples import examples

PAGES = ROOT / "site" / "pages"
NAMES = sorted(path.name for path in (PAGES / "en").glob("*.md"))


def read(lang: str, name: str) -> str:
    return (PAGES / lang / name).read_text(encoding="utf-8")


def fenced(markdown: str) -> list[str]:
    return re.findall(r"^```.*?^```$", markdown, re.MULTILINE | re.DOTALL)


def rows(markdown: str) -> list[int]:
    """The number of cells of each row of a table, outside code."""
    text = re.sub(r"^```.*?^```$", "", markdown, flags=re.MULTILINE | re.DOTALL)
    return [line.count("|") for line in text.splitlines() if line.lstrip().startswith("|")]


def test_each_language_has_the_same_pages() -> None:
    for lang in LANGS:
        assert sorted(path.name for path in (PAGES / lang).iterdir()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_headings_have_the_same_anchors_in_the_same_order(name: str) -> None:
    english = [(heading.level, heading.anchor) for heading in headings(read("en", name))]
    assert all(anchor for level, anchor in english if level > 1)
    for lang in LANGS:
        assert [(heading.level, heading.anchor) for heading in headings(read(lang, name))] == english, lang


@pytest.mark.parametrize("name", NAMES)
def test_code_and_what_is_filled_in_are_the_same_in_each_language(name: str) -> None:
    english = read("en", name)
    for lang in LANGS:
        text = read(lang, name)
        assert fenced(text) == fenced(english), lang
        assert sorted(re.findall(r"\$\w+", text)) == sorted(re.findall(r"\$\w+", english)), lang
        assert rows(text) == rows(english), lang


def test_every_page_about_errdex_has_its_name_in_the_navigation() -> None:
    assert {f"{name}.md" for name in HANDBOOK} <= set(NAMES)


def test_the_search_prefers_an_entry_to_a_page_that_shows_its_message_as_an_example() -> None:
    pages = [(lang, name) for lang in LANGS for name in HANDBOOK]
    assert [page for page in pages if not read(page[0], f"{page[1]}.md").startswith("---\nsearch: {boost: 0.2}\n---\n")] == []


def commands_named(markdown: str) -> list[str]:
    """What follows `errdex` in commands and in code within a sentence."""
    code = [example.body for example in examples(markdown) if example.kind == "bash"]
    code += re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", markdown, flags=re.MULTILINE | re.DOTALL))
    return [words for text in code for words in re.findall(r"(?:^|[|] )errdex ([^|>&\n]+)", text, re.MULTILINE)]


def test_every_command_that_a_page_names_exists() -> None:
    group = typer.main.get_command(command_line)
    assert isinstance(group, TyperGroup)
    commands = group.commands
    named = set()
    for path in PAGES.glob("*/*.md"):
        for words in commands_named(path.read_text(encoding="utf-8")):
            name, *rest = words.split()
            assert name in commands, f"{path}: errdex {words}"
            options = {option for parameter in commands[name].params for option in parameter.opts}
            assert {word for word in rest if word.startswith("--")} <= options, f"{path}: errdex {words}"
            named.add(name)
    assert {"lookup", "new", "check", "repro", "benchmark"} <= named


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_chinese_editions_keep_the_rules_of_their_language(edition: Edition) -> None:
    conventions = read_conventions(ROOT / "kb")
    flaws = [
        f"{name}:{flaw.line}: {flaw.remedy}"
        for name in NAMES
        for rule in LANGUAGE_RULES
        for flaw in rule(read(edition, name), edition, conventions)
    ]
    assert flaws == []


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("shape", [Answer, Result, LookupRequest])
def test_every_field_of_an_answer_is_explained(lang: str, shape: type[Answer | Result | LookupRequest]) -> None:
    text = read(lang, "api.md")
    assert [name for name in shape.model_fields if f"| `{name}` |" not in text] == []


@pytest.mark.parametrize("lang", LANGS)
def test_every_status_of_an_error_is_explained(lang: str) -> None:
    assert {int(status) for status in re.findall(r"^\| (\d{3}) \|", read(lang, "api.md"), re.MULTILINE)} == set(RESPONSES)


@pytest.mark.parametrize("lang", LANGS)
def test_the_limits_are_those_of_the_program(lang: str, tmp_path: Path) -> None:
    app = create_app(Settings(index=tmp_path, site=tmp_path / "none"))
    schema = get_openapi(title="errdex", version="0", routes=app.routes)
    search = {p["name"]: p["schema"] for p in schema["paths"]["/search"]["get"]["parameters"]}
    batch, lookup = (
        schema["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]
        for path in ("/lookup/batch", "/lookup")
    )
    limits = [
        Settings.model_fields["max_body"].default,
        batch["items"]["maxItems"],
        lookup["limit"]["maximum"],
        search["limit"]["maximum"],
        search["q"]["maxLength"],
    ]
    table = read(lang, "api.md").split("{ #limits }")[1].split("##")[0]
    assert [int(number) for number in re.findall(r"\| (\d+)[^|\n]*\|$", table, re.MULTILINE)] == limits
