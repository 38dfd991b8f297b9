"""The box of the site that takes a log and answers in the browser, as HTML; `site/assets/lookup.js` brings it to life."""

import html
import json
from dataclasses import dataclass

from errdex.entry import Lang
from errdex.words import Words

LOCAL_SERVER = "http://127.0.0.1:8000"  # where `make serve` serves, for examples on a site without a server of its own
LOOKUP_ANSWER = (
    '<section class="ex-answers" data-lookup-answer data-search-exclude="true" aria-live="polite" tabindex="-1"></section>'
)


@dataclass(frozen=True)
class Hosting:
    """Where the site stands, and what it is connected to.

    Attributes:
        origin: where it is served from, without a path and without a slash at its end.
        lookup: folder of the browser's lookup, from the origin on.
        api_url: origin of a server that may be asked, too; empty where there is none.
        contribute_url: form for a new entry, with `{title}` and `{body}`; empty where there is none.
    """

    origin: str
    lookup: str = ""
    api_url: str = ""
    contribute_url: str = ""


def lookup_box(lang: Lang, words: Words, hosting: Hosting) -> str:
    """The form; everything that the script says travels in its data attributes."""
    spoken = {key.removeprefix("lookup_"): text for key, text in words.ui.items() if key.startswith("lookup_")}
    data = {
        "lookup": f"/{hosting.lookup}/",
        "lang": lang,
        "api": f"{hosting.api_url.rstrip('/')}/" if hosting.api_url else "",
        "contribute": hosting.contribute_url or f"/{lang}/contribute/",
        "words": json.dumps(spoken, ensure_ascii=False),
        "search-exclude": "true",
    }
    attributes = " ".join(f'data-{name}="{html.escape(value)}"' for name, value in data.items())
    say = {key: html.escape(text) for key, text in spoken.items()}
    placeholder = say["placeholder"].replace("\n", "&#10;")
    return (
        f'<form class="ex-lookup" {attributes}>'
        f'<label for="ex-log">{say["label"]}</label>'
        f'<textarea id="ex-log" rows="6" required spellcheck="false" placeholder="{placeholder}"></textarea>'
        '<p class="ex-attached" data-attached hidden></p>'
        f'<p class="ex-actions"><button type="submit" class="md-button md-button--primary">{say["button"]}</button>'
        f'<label class="md-button ex-file">{say["file"]}<input type="file" accept=".log,.txt,.out,.err,text/*"></label>'
        f'<button type="button" class="md-button" data-open-search>{say["search"]}</button></p>'
        f'<p class="ex-note">{say["private"]}</p><noscript><p class="ex-note">{say["noscript"]}</p></noscript>'
        "</form>"
    )
