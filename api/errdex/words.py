"""What the site says around the entries, in three languages: `site/strings.toml`."""

import tomllib
from pathlib import Path

from errdex.entry import Lang, Strict

# Each language as its own readers write it.
LANGUAGE_NAMES: dict[Lang, str] = {"en": "English", "zh-CN": "简体中文", "zh-TW": "繁體中文"}


class Words(Strict):
    """The words of one language."""

    ui: dict[str, str]
    areas: dict[str, str]

    def __getitem__(self, key: str) -> str:
        """What is said under this key."""
        return self.ui[key]

    def entries(self, count: int) -> str:
        """A number of entries, said in words."""
        return self["area_count_one" if count == 1 else "area_count_many"].format(count=count)


class SiteWords(Strict):
    """The whole file: the words of each language, and the slugs that the home page shows."""

    common: list[str]
    languages: dict[Lang, Words]


def read_words(path: Path) -> SiteWords:
    """Read `strings.toml`."""
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    return SiteWords(common=raw.pop("common"), languages=raw)
