import io
from collections.abc import Iterator

import pytest
from PIL import Image, ImageFont

from errdex import cards
from errdex.beside import card_language
from errdex.cards import SIZE, Card, can_write, draw_card, wrap

LONG = "RuntimeError: " + "torch.distributed.elastic.multiprocessing.errors.ChildFailedError_" * 6


@pytest.fixture
def no_chinese_font(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(cards, "_CHINESE_FONT", "nobody-has-this-font.ttc")
    for cached in (cards._face, cards._font):
        cached.cache_clear()
    yield
    for cached in (cards._face, cards._font):
        cached.cache_clear()


@pytest.mark.parametrize("title", ["CUDA out of memory", LONG, "显存不足（OOM）：怎么办", ""])
def test_a_card_is_a_small_picture_of_the_size_that_is_announced(title: str) -> None:
    drawn = draw_card(Card("Memory · MEM001", title, "Verified · torch 2.13.0", proved=True), "en")
    picture = Image.open(io.BytesIO(drawn))
    assert (picture.format, picture.size) == ("PNG", SIZE)
    assert len(drawn) < 60_000


def test_the_same_card_is_drawn_twice_the_same() -> None:
    card = Card("Memory", "CUDA out of memory", "Verified")
    assert draw_card(card, "en") == draw_card(card, "en")


def test_what_was_proved_is_marked_in_another_colour() -> None:
    colours = [
        Image.open(io.BytesIO(draw_card(Card("a", "b", "c", proved=proved), "en"))).convert("RGB").getpixel((88, 540))
        for proved in (True, False)
    ]
    assert colours[0] == cards._GREEN
    assert colours[1] != cards._GREEN


def test_lines_fit_and_nothing_is_lost() -> None:
    font = ImageFont.load_default(40)
    lines = wrap(LONG, font, 600)
    assert max(font.getlength(line) for line in lines) <= 600
    assert "".join(lines).replace(" ", "") == LONG.replace(" ", "")


@pytest.mark.skipif(not can_write("zh-CN"), reason="no Chinese font is installed")
def test_no_line_begins_with_a_closing_mark() -> None:
    font = cards._font("zh-CN", 40)
    for width in range(200, 500, 20):
        assert not [line for line in wrap("显存不足，怎么办？（先看批大小），再看碎片。", font, width) if line[0] in "，？），。"]


@pytest.mark.usefixtures("no_chinese_font")
def test_without_a_chinese_font_the_card_is_in_english() -> None:
    assert [can_write(lang) for lang in ("en", "zh-CN", "zh-TW")] == [True, False, False]
    assert card_language("zh-TW") == "en"
    assert Image.open(io.BytesIO(draw_card(Card("Memory", "CUDA out of memory", ""), "en"))).size == SIZE
