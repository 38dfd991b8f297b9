"""Which of the three languages a text is in, and Chinese folded to one script for matching."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Protocol

from errdex.entry import LANGS, Lang
from errdex.errors import UnknownLanguageError

HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]", re.ASCII)
_MAX_SCRIPT_SAMPLE = 2000  # characters; more would not change the verdict


class _Converter(Protocol):
    def convert(self, text: str) -> str: ...


@cache
def _converter(name: str) -> _Converter:
    import opencc  # loaded on the first Chinese text only

    converter: _Converter = opencc.OpenCC(name)
    return converter


def to_simplified(text: str) -> str:
    """Traditional characters replaced by Simplified ones; text without Chinese is returned as it is."""
    return _converter("t2s").convert(text) if HAN.search(text) else text


@cache
def simplified_characters() -> dict[str, str]:
    """Each Chinese character that Simplified script writes otherwise, with that: what a browser has instead of OpenCC."""
    blocks = (range(0x3400, 0x4DC0), range(0x4E00, 0xA000), range(0xF900, 0xFB00))  # those of HAN
    characters = [chr(code) for block in blocks for code in block]
    # One to a line, in one go: 28,000 calls would take a tenth of a second.
    pairs = zip(characters, _converter("t2s").convert("\n".join(characters)).split("\n"), strict=True)
    return {character: plain for character, plain in pairs if plain != character and len(plain) == 1}


@cache
def simplified_only() -> frozenset[str]:
    """Characters that Traditional script writes otherwise, as OpenCC says; its own way there takes 26 MB for phrases."""
    return frozenset((Path(__file__).parent / "simplified.txt").read_text(encoding="utf-8")) - {"\n"}


def chinese_script(text: str) -> Lang:
    """`zh-TW` when the text holds more characters that only Traditional script has, else `zh-CN`."""
    han = "".join(HAN.findall(text[: _MAX_SCRIPT_SAMPLE * 4]))[:_MAX_SCRIPT_SAMPLE]
    traditional = sum(character in simplified_characters() for character in han)
    simplified = sum(character in simplified_only() for character in han)
    return "zh-TW" if traditional > simplified else "zh-CN"


def parse_lang(text: str) -> Lang:
    """One of the three languages from a tag as people write it (`zh-cn`, `zh_TW`, `zh-Hant`, `EN-us`).

    Raises:
        UnknownLanguageError: it is none of them.
    """
    tag = text.strip().replace("_", "-").lower()
    if tag == "en" or tag.startswith("en-"):
        return "en"
    if tag in ("zh-tw", "zh-hk", "zh-mo") or tag.startswith("zh-hant"):
        return "zh-TW"
    if tag in ("zh", "zh-cn", "zh-sg") or tag.startswith("zh-hans"):
        return "zh-CN"
    raise UnknownLanguageError(f"Use one of {', '.join(LANGS)}.", field="lang")


def accepted_lang(header: str | None) -> Lang:
    """The best of the three for an `Accept-Language` header; English when none fits."""
    ranked: list[tuple[float, int, Lang]] = []
    for position, part in enumerate((header or "").lower().replace(" ", "").split(",")[:20]):
        tag, _, quality = part.partition(";q=")
        try:
            weight, lang = float(quality or 1), parse_lang(tag)
        except (ValueError, UnknownLanguageError):
            continue
        if weight > 0:
            ranked.append((-weight, position, lang))
    return min(ranked)[2] if ranked else "en"


def detect_lang(own_words: Iterable[str]) -> Lang | None:
    """Language of the words that a person wrote around the output; None when there is no Chinese in them."""
    text = "\n".join(own_words)
    return chinese_script(text) if len(HAN.findall(text)) >= 2 else None
