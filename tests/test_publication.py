from datetime import date
from pathlib import Path

import pytest

from errdex import __version__
from errdex.catalog import Catalog
from errdex.publication import publish_scores
from errdex.scores import read_scores
from errdex.settings import Settings
from tests.conftest import ROOT


def test_what_was_measured_is_written_with_what_it_was_measured_with(
    tmp_path: Path, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Both take minutes; each has tests of its own.
    last = read_scores(ROOT / "bench" / "results.json")
    monkeypatch.setattr("errdex.publication.measure", lambda _: last.figures)
    monkeypatch.setattr("errdex.publication.held_out_curves", lambda _: last.curves)
    path = tmp_path / "bench" / "results.json"
    written = publish_scores(Settings(), path, date(2027, 1, 2))
    assert read_scores(path) == written
    assert (written.date, written.errdex, written.entries) == (date(2027, 1, 2), __version__, len(catalog.active))
    assert written.figures == last.figures
    assert path.read_text(encoding="utf-8").endswith("}\n")
