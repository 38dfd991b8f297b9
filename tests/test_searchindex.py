import json
from pathlib import Path

import pytest

from errdex.catalog import Catalog
from errdex.entry import LANGS
from errdex.searchindex import fold_table, terms, write_search


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("CUBLAS_STATUS_NOT_INITIALIZED", ["CUBLAS_STATUS_NOT_INITIALIZED", "cublas", "STATUS", "initialized"]),
        ("at::Half", ["at::Half", "Half"]),
        ("torch.amp.GradScaler", ["torch.amp.GradScaler", "GradScaler", "grad", "scaler", "torch"]),
        ("scaler.unscale_(optimizer)", ["scaler.unscale_", "unscale_", "optimizer"]),
        ("call unscale_ once", ["unscale_", "unscale"]),
        ("显存不足", ["显存", "不足"]),
        ("fp16梯度裁剪", ["fp16", "梯度", "梯度裁剪"]),
    ],
)
def test_a_symbol_is_found_whole_and_in_parts(text: str, asked: list[str]) -> None:
    assert [part for part in asked if not set(terms(part)) <= set(terms(text))] == []


def test_traditional_characters_have_their_simplified_form() -> None:
    table = fold_table(["显存 记忆体", "執行緒"])
    assert "記憶體".translate(table) == "记忆体"
    assert "執行緒".translate(table) == "执行绪"
    assert all(len(plain) == 1 for plain in table.values())


def test_one_index_holds_the_words_of_all_languages(tmp_path: Path) -> None:
    texts = {"en": "Threads &lt;b&gt; stop", "zh-CN": "线\u200b程停止", "zh-TW": "執行緒停止"}
    for lang in LANGS:
        (tmp_path / lang / "search").mkdir(parents=True)
        docs = [{"location": "page/", "title": f"Page {lang}", "text": f"<p>{texts[lang]}</p>"}]
        index = {"config": {"separator": " "}, "docs": docs}
        (tmp_path / lang / "search" / "search_index.json").write_text(json.dumps(index), encoding="utf-8")
    write_search(Catalog(entries={}, digest="none"), [], {lang: tmp_path / lang for lang in LANGS})
    for lang in LANGS:
        written = json.loads((tmp_path / lang / "search" / "search_index.json").read_text(encoding="utf-8"))
        known = {line.split(" ")[0] for line in written["config"]["index"]["terms"].splitlines()}
        assert {"thread", "线程", "执行", "行绪"} <= known
        assert [doc["title"] for doc in written["docs"]] == [f"Page {lang}"]
        assert written["docs"][0]["text"] == {"en": "Threads <b> stop", "zh-CN": "线程停止", "zh-TW": "執行緒停止"}[lang]
