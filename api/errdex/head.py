"""What the templates of the site know beyond a page itself: its origin, its edition, and the words around the pages."""

from errdex.entry import Lang
from errdex.words import Words

_LOCALES: dict[Lang, str] = {"en": "en_US", "zh-CN": "zh_CN", "zh-TW": "zh_TW"}
_SPOKEN = ("feed", "forms", "missing_home", "missing_text", "missing_title", "permanent")


def head_extra(lang: Lang, words: Words, origin: str) -> dict[str, object]:
    """The part of `extra` in the MkDocs configuration that depends on language and place."""
    return {
        "origin": origin,
        "edition": lang,
        "locale": _LOCALES[lang],
        "words": {key: words[key] for key in _SPOKEN},
        "social": [{"icon": "material/rss", "link": f"/{lang}/feed.xml", "name": words["feed"]}],
    }
