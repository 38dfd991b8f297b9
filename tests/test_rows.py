"""The errors and questions that the project was made for: each must find its entry first, in every form and language."""

import dataclasses
import json
from typing import TypedDict

import pytest

from errdex import vectors
from errdex.catalog import Catalog
from errdex.encoder import Encoder
from errdex.entry import LANGS
from errdex.index import Index
from errdex.lookup import Lookup
from errdex.models import Status
from errdex.vectors import VectorIndex
from tests.conftest import ROOT


class Row(TypedDict):
    row: int
    entry: str
    kind: str
    lang: str
    text: str


ROWS: list[Row] = [json.loads(line) for line in (ROOT / "bench" / "rows.jsonl").read_text(encoding="utf-8").splitlines()]


def name(row: Row) -> str:
    return f"{row['row']}-{row['entry']}-{row['kind']}-{row['lang']}"


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_the_right_entry_is_first(lookup: Lookup, row: Row) -> None:
    answer = lookup.answer(row["text"])
    assert answer.status is not Status.NO_MATCH
    assert answer.results[0].id == row["entry"]


@pytest.mark.parametrize("row", [row for row in ROWS if row["kind"] == "question"], ids=name)
def test_a_question_is_answered_in_its_language(lookup: Lookup, row: Row) -> None:
    assert lookup.answer(row["text"]).lang == row["lang"]


def test_every_row_is_there_with_every_form(catalog: Catalog) -> None:
    assert {row["row"] for row in ROWS} == set(range(1, 20))
    for entry_id in {row["entry"] for row in ROWS}:
        own = [row for row in ROWS if row["entry"] == entry_id]
        assert {row["lang"] for row in own if row["kind"] == "question"} == set(LANGS), entry_id
        if catalog.get(entry_id).kind == "error":
            assert {"message", "traceback"} <= {row["kind"] for row in own}, entry_id


def test_among_many_passages_the_same_entries_come_first(
    lookup: Lookup, index: Index, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "FLAT_ROWS", 100)  # the real index counts as large: the quick pass chooses
    large = Lookup(dataclasses.replace(index, vectors=VectorIndex(index.vectors.rows())), encoder)
    questions = [row["text"] for row in ROWS if row["kind"] == "question"]
    assert [large.answer(text).results[0].id for text in questions] == [lookup.answer(text).results[0].id for text in questions]
