"""The pages about errdex itself: their place in the navigation, and what is filled into them."""

from pathlib import Path

from errdex.catalog import Catalog
from errdex.changelog import KINDS, changelog_markdown, read_releases
from errdex.entry import Lang
from errdex.quality import quality_values
from errdex.scores import read_scores
from errdex.words import Words

HANDBOOK = ("about", "quality", "api", "integrate", "contribute", "changelog")


def handbook_nav(words: Words) -> dict[str, list[dict[str, str]]]:
    """The section of the navigation that holds them."""
    return {words["handbook"]: [{words[name]: f"{name}.md"} for name in HANDBOOK]}


def handbook_values(catalog: Catalog, lang: Lang, words: Words, checkout: Path) -> dict[str, str]:
    """What the `$names` of these pages stand for.

    Args:
        catalog: the entries.
        lang: language of the pages.
        words: what the site says in that language.
        checkout: where `bench/` and `site/` are.

    Raises:
        ErrdexError: what the benchmark published is not there or cannot be read.
    """
    kinds = {kind: words[f"change_{kind}"] for kind in KINDS}
    releases = read_releases(checkout / "site" / "changelog.toml")
    return {
        "changelog": changelog_markdown(releases, lang, kinds, words["change_unreleased"]),
        "knowledge_areas": words["separator"].join(f"`{area}` {name}" for area, name in words.areas.items()),
        **quality_values(read_scores(checkout / "bench" / "results.json"), catalog, words),
    }
