from pathlib import Path

import pytest

from errdex.catalog import load_catalog
from errdex.entry import LANGS
from errdex.page import parse_page
from errdex.stamp import english_hash, restamped, stale_translations, text_hash
from tests.sheets import PAGE, entry


def test_a_page_has_the_same_hash_on_disk_and_in_memory_whatever_its_line_ends(tmp_path: Path) -> None:
    (tmp_path / "unix.md").write_bytes("# 标题\n\ntext\n".encode())
    (tmp_path / "windows.md").write_bytes("# 标题\r\n\r\ntext\r\n".encode())
    wanted = text_hash("# 标题\n\ntext\n".encode())
    assert english_hash(tmp_path / "unix.md") == english_hash(tmp_path / "windows.md") == wanted


@pytest.mark.parametrize(
    ("compared", "stale"),
    [(("zh-CN", "zh-TW"), []), (("zh-CN",), ["zh-TW"]), ((), ["zh-CN", "zh-TW"])],
)
def test_a_translation_is_stale_unless_it_was_compared_with_the_english_text_of_today(
    compared: tuple[str, ...], stale: list[str]
) -> None:
    source = "# Title\n\nNew words.\n"
    old, new = text_hash(b"# Title\n\nOld words.\n"), text_hash(source.encode())
    checked = {lang: new if lang in compared else old for lang in ("zh-CN", "zh-TW")}
    assert stale_translations(entry(pages=dict.fromkeys(LANGS, parse_page(source)), checked=checked)) == stale


def test_the_knowledge_of_today_has_no_stale_translation() -> None:
    assert [e.id for e in load_catalog() if stale_translations(e)] == []


def test_what_is_written_otherwise_and_says_the_same_stays_up_to_date() -> None:
    current = text_hash(PAGE.format(lang="en").encode())
    one = entry(checked={"zh-CN": current, "zh-TW": "en@00000000"})
    again = PAGE.format(lang="en").replace("Do", "&#68;o")
    pages = one.pages | {"en": parse_page(again)}
    assert stale_translations(one.model_copy(update={"pages": pages, "checked": restamped(one, again)})) == ["zh-TW"]
