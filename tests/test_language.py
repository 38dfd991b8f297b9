import opencc
import pytest

from errdex.entry import LANGS
from errdex.errors import UnknownLanguageError
from errdex.language import accepted_lang, chinese_script, detect_lang, parse_lang, simplified_only, to_simplified


@pytest.mark.parametrize(
    ("text", "simplified"),
    [
        ("顯存不足", "显存不足"),
        ("記憶體 OOM 錯誤", "记忆体 OOM 错误"),
        ("显存不足", "显存不足"),
        ("out of memory", "out of memory"),
        ("", ""),
    ],
)
def test_chinese_is_folded_to_one_script(text: str, simplified: str) -> None:
    assert to_simplified(text) == simplified


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("训练时显存不足", "zh-CN"),
        ("訓練時記憶體不足", "zh-TW"),
        ("CUDA out of memory 怎麼辦", "zh-TW"),
        ("CUDA out of memory 怎么办", "zh-CN"),
        ("中文", "zh-CN"),
        ("no Chinese", "zh-CN"),
    ],
)
def test_the_script_of_a_text(text: str, lang: str) -> None:
    assert chinese_script(text) == lang


@pytest.mark.parametrize(
    ("tags", "lang"),
    [
        (("en", "EN", "en-us", "en_GB", " en "), "en"),
        (("zh", "zh-cn", "zh_CN", "ZH-SG", "zh-Hans", "zh-Hans-HK"), "zh-CN"),
        (("zh-tw", "zh_TW", "zh-HK", "zh-mo", "zh-Hant", "zh-hant-tw"), "zh-TW"),
    ],
)
def test_tags_as_people_write_them(tags: tuple[str, ...], lang: str) -> None:
    assert {parse_lang(tag) for tag in tags} == {lang}


@pytest.mark.parametrize("tag", ["", "de", "e", "english", "zh-xx", "中文", "en;q=1"])
def test_other_tags_are_refused_with_the_choice(tag: str) -> None:
    with pytest.raises(UnknownLanguageError) as caught:
        parse_lang(tag)
    assert all(lang in caught.value.detail for lang in LANGS)
    assert caught.value.field == "lang"


@pytest.mark.parametrize(
    ("header", "lang"),
    [
        (None, "en"),
        ("", "en"),
        ("*", "en"),
        ("de-DE,de;q=0.9", "en"),
        ("zh-TW,zh;q=0.9,en;q=0.8", "zh-TW"),
        ("en;q=0.5,zh-CN;q=0.9", "zh-CN"),
        ("en; q=0.1, zh-TW; q=0.9", "zh-TW"),
        ("de, zh-Hant-TW;Q=0.4", "zh-TW"),
        ("zh-CN,zh-TW", "zh-CN"),
        ("zh-TW;q=0", "en"),
        ("zh-TW;q=0,zh-CN;q=0.1", "zh-CN"),
        ("zh-TW;q=high,zh-CN", "zh-CN"),
        ("zh-TW;q=nan,zh-CN", "zh-CN"),
        (",,,;q=1", "en"),
    ],
)
def test_the_best_language_of_a_header(header: str | None, lang: str) -> None:
    assert accepted_lang(header) == lang


def test_only_the_head_of_a_long_header_is_read() -> None:
    assert accepted_lang("de," * 10_000 + "zh-TW") == "en"


@pytest.mark.parametrize(
    ("words", "lang"),
    [
        ((), None),
        (("how do I fix this?",), None),
        (("第 one character",), None),
        (("怎么解决", "RuntimeError"), "zh-CN"),
        (("怎", "麼"), "zh-TW"),
    ],
)
def test_the_language_of_somebodys_own_words(words: tuple[str, ...], lang: str | None) -> None:
    assert detect_lang(words) == lang


def test_the_characters_that_only_simplified_script_has_are_those_that_opencc_changes() -> None:
    blocks = (range(0x3400, 0x4DC0), range(0x4E00, 0xA000), range(0xF900, 0xFB00))
    characters = [chr(code) for block in blocks for code in block]
    traditional = opencc.OpenCC("s2t").convert("\n".join(characters)).split("\n")
    changed = {character for character, other in zip(characters, traditional, strict=True) if character != other}
    assert simplified_only() == changed
