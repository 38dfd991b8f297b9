from datetime import date
from pathlib import Path

import pytest
from packaging.version import Version
from pydantic import ValidationError

from errdex import __version__
from errdex.changelog import Change, Release, changelog_markdown, read_releases
from errdex.entry import LANGS
from tests.conftest import ROOT

SOURCE = ROOT / "site" / "changelog.toml"
KINDS = {"added": "Neu", "changed": "Anders", "fixed": "Heil", "removed": "Fort"}


def change(kind: str) -> Change:
    return Change.model_validate({"kind": kind, "en": f"{kind} it", "zh-CN": "改了", "zh-TW": "改了"})


def test_the_newest_release_stands_first_and_todays_version_is_among_them() -> None:
    releases = read_releases(SOURCE)
    versions = [Version(release.version) for release in releases]
    assert versions == sorted(versions, reverse=True)
    assert __version__ in {release.version for release in releases}
    days = [release.released for release in releases if release.released]
    assert days == sorted(days, reverse=True)
    assert all(release.released for release in releases[1:])


def test_changes_are_grouped_by_kind_and_a_release_that_is_not_out_says_so() -> None:
    releases = [
        Release(version="0.2.0", change=[change("fixed"), change("added")]),
        Release(version="0.1.0", released=date(2026, 11, 30), change=[change("added")]),
    ]
    text = changelog_markdown(releases, "en", KINDS, "soon")
    assert text.split("\n\n") == [
        "## 0.2.0 · soon { #v0-2-0 }",
        "**Neu**",
        "- added it",
        "**Heil**",
        "- fixed it",
        "## 0.1.0 · 2026-11-30 { #v0-1-0 }",
        "**Neu**",
        "- added it",
    ]
    assert "- 改了" in changelog_markdown(releases, "zh-TW", KINDS, "")


@pytest.mark.parametrize("lang", LANGS)
def test_a_change_must_be_said_in_each_language(lang: str, tmp_path: Path) -> None:
    said = "".join(f'{other} = "x"\n' for other in LANGS if other != lang)
    path = tmp_path / "changelog.toml"
    path.write_text(f'[[release]]\nversion = "1"\n[[release.change]]\nkind = "added"\n{said}', encoding="utf-8")
    with pytest.raises(ValidationError, match=lang):
        read_releases(path)
