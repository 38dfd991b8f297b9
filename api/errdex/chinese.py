"""Chinese in both scripts, for the site's search: words in the other edition's writing, and a dictionary to cut them by."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import jieba  # type: ignore[import-untyped]  # it ships no types
from opencc import OpenCC

# Characters alone, and characters with Taiwan's vocabulary, in both directions.
_CONVERSIONS = ("s2t", "s2twp", "t2s", "tw2sp")


@cache
def _converter(name: str) -> OpenCC:
    return OpenCC(name)


def both_scripts(words: Iterable[str]) -> list[str]:
    """The words and their forms in the other script, each once, in order."""
    forms: dict[str, None] = {}
    for word in words:
        forms[word] = None
        forms |= dict.fromkeys(_converter(name).convert(word) for name in _CONVERSIONS)
    return list(forms)


def write_dictionary(folder: Path) -> Path:
    """The dictionary of jieba with each word in Traditional too, written once per release of jieba.

    Without it jieba cuts Traditional words in the middle, and the search does not find them.

    Args:
        folder: where the dictionary is kept.

    Returns:
        The dictionary's path.
    """
    path = folder / f"jieba-{jieba.__version__}.txt"
    if path.is_file():
        return path
    lines = Path(jieba.__file__).with_name("dict.txt").read_text(encoding="utf-8").splitlines()
    words = "\n".join(line.split(" ", 1)[0] for line in lines)
    traditional = _converter("s2twp").convert(words).split("\n")
    added = [
        f"{word} {line.split(' ', 1)[1]}" for word, line in zip(traditional, lines, strict=True) if word != line.split(" ", 1)[0]
    ]
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_text("\n".join([*lines, *added]) + "\n", encoding="utf-8")
    return unfinished.replace(path)
