"""The picture that a link shows when it is shared: what the page is called, and how far its entry was executed."""

import io
import re
from dataclasses import dataclass
from functools import cache

from PIL import Image, ImageDraw, ImageFont

from errdex.entry import Entry, Lang
from errdex.proof import proof, proof_line
from errdex.words import Words

SIZE = (1200, 630)
_MARGIN = 84
_TITLE_SIZES = (64, 54, 46, 40)
_TITLE_LINES = 5
_TITLE_HEIGHT = 320  # two lines fit below
_LINE = 1.36
# Debian, Fedora, Arch and macOS ports of Noto ship this file; Pillow looks for it where the system keeps its fonts.
_CHINESE_FONT = "NotoSansCJK-Bold.ttc"
_FACES: dict[Lang, str] = {"en": "Noto Sans CJK SC", "zh-CN": "Noto Sans CJK SC", "zh-TW": "Noto Sans CJK TC"}
# One hue from the frame's blue to white, and the green of what was proved: 7 shades and one more.
_DARK, _LIGHT, _GREEN = (22, 40, 60), (255, 255, 255), (127, 214, 164)
_SHADES = 7
_WORD = re.compile(r"[（「『《]*[\u3000-\u9fff\uff00-\uffef][，。、；：？！）」』》]*|[^\s\u3000-\u9fff\uff00-\uffef]+|\s+")
_Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


@dataclass(frozen=True)
class Card:
    """What one card says.

    Attributes:
        above: a line above the title.
        title: the title.
        below: a line below the title.
        proved: whether the line below is marked as proved.
    """

    above: str
    title: str
    below: str
    proved: bool = False


def entry_card(entry: Entry, lang: Lang, words: Words) -> Card:
    """The card of an entry's page."""
    above = " · ".join([words.areas[entry.area], entry.id])
    title = entry.pages[lang].title.replace("`", "")
    return Card(above, title, proof_line(entry, words), proved=proof(entry, words).state == "ok")


def home_card(words: Words) -> Card:
    """The card of every page that is no entry's."""
    return Card("errdex", words["tagline"], " · ".join(("English", "简体中文", "繁體中文")))


@cache
def _face(lang: Lang) -> int | None:
    """Which face of the Chinese font writes this language; None where the font is not installed."""
    for index in range(12):
        try:
            family = ImageFont.truetype(_CHINESE_FONT, 12, index=index).getname()[0]
        except OSError:
            return None
        if family == _FACES[lang]:
            return index
    return None


@cache
def _font(lang: Lang, size: int) -> _Font:
    face = _face(lang)
    # Pillow carries a Latin font of its own.
    return ImageFont.load_default(size) if face is None else ImageFont.truetype(_CHINESE_FONT, size, index=face)


def can_write(lang: Lang) -> bool:
    """Whether this machine has a font for the language."""
    return lang == "en" or _face(lang) is not None


def _pieces(word: str, font: _Font, width: int) -> list[str]:
    """A word cut into pieces that fit; most words are one piece."""
    pieces = [""]
    for character in word:
        if font.getlength(pieces[-1] + character) > width:
            pieces.append("")
        pieces[-1] += character
    return pieces


def wrap(text: str, font: _Font, width: int) -> list[str]:
    """The text in lines that fit: Chinese breaks anywhere, other words between themselves, a long name where it must."""
    lines = [""]
    for word in _WORD.findall(" ".join(text.split())):
        if font.getlength(lines[-1] + word.rstrip()) <= width:
            lines[-1] += word
            continue
        first, *rest = [word] if font.getlength(word) <= width else _pieces(word, font, width)
        lines += [first.lstrip(), *rest]
    return [line.strip() for line in lines if line.strip()]


def _title_lines(title: str, lang: Lang, width: int) -> tuple[list[str], int]:
    """The title at the largest size at which it fits; at the smallest the rest is cut off."""
    for size in _TITLE_SIZES:
        lines = wrap(title, _font(lang, size), width)
        if len(lines) * size * _LINE <= _TITLE_HEIGHT:
            return lines, size
    size = _TITLE_SIZES[-1]
    kept = wrap(title, _font(lang, size), width)[:_TITLE_LINES]
    return [*kept[:-1], f"{kept[-1][:-1]}…"], size


def _palette() -> list[int]:
    shades = [
        round(dark + (light - dark) * step / (_SHADES - 1))
        for step in range(_SHADES)
        for dark, light in zip(_DARK, _LIGHT, strict=True)
    ]
    return [*shades, *_GREEN]


def draw_card(card: Card, lang: Lang) -> bytes:
    """The card as PNG."""
    # Drawn in grey and coloured by a palette: less than half the size of full colour, in a fraction of the time.
    image = Image.new("L", SIZE, 0)
    pen = ImageDraw.Draw(image)
    width = SIZE[0] - 2 * _MARGIN
    small, brand = _font(lang, 30), _font(lang, 38)
    pen.text((_MARGIN, 66), card.above, font=small, fill=170)
    lines, size = _title_lines(card.title, lang, width)
    top = 66 + 74
    for number, line in enumerate(lines):
        pen.text((_MARGIN, top + number * size * _LINE), line, font=_font(lang, size), fill=255)
    below = [line.strip(" ·") for line in wrap(card.below, small, width - 260)[:2]]
    for number, line in enumerate(reversed(below)):
        pen.text((_MARGIN + 34, SIZE[1] - 84 - number * 44), line, font=small, fill=225, anchor="ls")
    pen.text((SIZE[0] - _MARGIN, SIZE[1] - 84), "errdex", font=brand, fill=255, anchor="rs")
    image = image.point([shade * (_SHADES - 1) // 255 for shade in range(256)])
    mark = ImageDraw.Draw(image)
    colour = _SHADES if card.proved else _SHADES // 2
    mark.rectangle((_MARGIN, SIZE[1] - 84 - 44 * max(0, len(below) - 1) - 26, _MARGIN + 8, SIZE[1] - 78), fill=colour)
    image.putpalette(_palette())
    out = io.BytesIO()
    image.save(out, "PNG", bits=4)
    return out.getvalue()
