"""The short forms of `make privacy`: generated secrets through the redaction, and through every path of the server."""

import asyncio
from pathlib import Path

import pytest

from bench.privacy.canary import ROUTES, search
from bench.privacy.carriers import kinds_of_secrets, pairs
from bench.privacy.measure import HOSTILE, growth, measure
from errdex.assignments import ASSIGNMENTS
from errdex.credentials import CREDENTIALS
from errdex.personal import PERSONAL
from errdex.redact import RULES, redact
from errdex.settings import Settings
from tests.conftest import ROOT


def test_secrets_of_all_kinds_are_removed_and_nothing_else() -> None:
    found = measure(3000, seed=5)
    assert len(kinds_of_secrets()) >= 200
    assert found.recall >= 0.995, [pair.text for pair in found.passed]
    assert found.precision >= 0.99, [pair.text for pair in found.too_much + found.wrong]


def test_what_was_redacted_stays_as_it_is() -> None:
    once = [redact(pair.text).text for pair in pairs(1000, seed=6)]
    assert [(text, redact(text)) for text in once if redact(text) != (text, 0)] == []


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_time_grows_with_the_length(piece: str) -> None:
    # Ten times the text would take a hundred times as long if any rule were quadratic; the margin is wide on a busy machine.
    assert min(growth(piece, 20_000)[1] for _ in range(2)) < 3.5


def test_no_secret_is_written_anywhere(settings: Settings, logging_restored: None, tmp_path: Path) -> None:
    done = asyncio.run(search(settings.model_copy(update={"model": "none"}), 600, 3, tmp_path))
    assert set(done.sent) == set(ROUTES)
    assert {200, 400, 404, 422, 500} <= set(done.statuses)
    assert [(name, pair.text) for name, pair in done.found] == []
    assert done.in_files == {}
    assert done.stored > 0
    assert done.read[200] > 3


def test_the_documentation_names_every_kind() -> None:
    told = (ROOT / "docs" / "privacy.md").read_text(encoding="utf-8")
    assert [kind for kind in dict.fromkeys(rule.kind for rule in RULES) if f"| {kind} |" not in told] == []
    assert {rule.replacement.removeprefix("\\1") for rule in RULES} <= {
        part.strip("`") for part in told.replace("|", " ").split()
    }


def test_every_rule_stands_in_the_table_once() -> None:
    assert len(set(RULES)) == len(RULES) == len(CREDENTIALS) + len(ASSIGNMENTS) + len(PERSONAL)
