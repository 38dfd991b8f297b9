"""What changed for the people who use errdex, in three languages: `site/changelog.toml`."""

import tomllib
from datetime import date
from pathlib import Path
from typing import Literal

from pydantic import Field

from errdex.entry import Lang, Strict

KINDS = ("added", "changed", "fixed", "removed")


class Change(Strict):
    """One change, said in each language."""

    kind: Literal["added", "changed", "fixed", "removed"]
    en: str
    zh_cn: str = Field(alias="zh-CN")
    zh_tw: str = Field(alias="zh-TW")

    def of(self, lang: Lang) -> str:
        """What is said in one language."""
        return {"en": self.en, "zh-CN": self.zh_cn, "zh-TW": self.zh_tw}[lang]


class Release(Strict):
    """Changes that came out together; without a date they have not come out yet."""

    version: str
    released: date | None = None
    change: list[Change] = Field(min_length=1)


def read_releases(path: Path) -> list[Release]:
    """Read `changelog.toml`: the newest release stands first."""
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    return [Release.model_validate(release) for release in raw["release"]]


def changelog_markdown(releases: list[Release], lang: Lang, kinds: dict[str, str], unreleased: str) -> str:
    """The releases as Markdown.

    Args:
        releases: the newest first.
        lang: language of the page.
        kinds: what each kind of change is called.
        unreleased: said in place of the day of a release that has not come out.
    """
    blocks: list[str] = []
    for release in releases:
        day = release.released.isoformat() if release.released else unreleased
        blocks.append(f"## {release.version} · {day} {{ #v{release.version.replace('.', '-')} }}")
        for kind in KINDS:
            said = [change.of(lang) for change in release.change if change.kind == kind]
            if said:
                blocks += [f"**{kinds[kind]}**", "\n".join(f"- {text}" for text in said)]
    return "\n\n".join(blocks)
