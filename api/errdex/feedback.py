"""The last word of a page: where a reader says that it is wrong or incomplete."""

import html
from dataclasses import dataclass

from errdex.entry import Entry, Lang
from errdex.lookup import filled_form
from errdex.markup import UNSEARCHED
from errdex.words import Words


@dataclass(frozen=True)
class Feedback:
    """Where readers report to.

    Attributes:
        origin: where the site is served, without a path.
        contribute_url: a form; `{title}` and `{body}` in it are filled in. Empty: the site's page on contributing.
    """

    origin: str = ""
    contribute_url: str = ""

    def form(self, entry: Entry, lang: Lang, words: Words) -> str:
        """Address of the form, filled in with what is known of the entry."""
        title = words["feedback_title"].format(id=entry.id, title=entry.pages[lang].title)
        body = words["feedback_body"].format(url=f"{self.origin}/{lang}/{entry.path}/")
        return filled_form(self.contribute_url, title, body)

    def section(self, entry: Entry, lang: Lang, words: Words) -> list[str]:
        """The section of the page; the search does not show it."""
        label = words["feedback_link"]
        link = (
            f'<a href="{html.escape(self.form(entry, lang, words))}">{html.escape(label)}</a>'
            if self.contribute_url
            else f"[{label}](../contribute.md#report)"
        )
        return [
            f"## {words['feedback']} {{ #feedback{UNSEARCHED} }}",
            f"{words['feedback_text']} {link}\n{{ .ex-feedback }}",
        ]
