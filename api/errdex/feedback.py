"""The last word of a page: where a reader says that it is wrong or incomplete."""

import html
from dataclasses import dataclass

from errdex.entry import Entry, Lang
from errdex.links import filled_form
from errdex.markup import UNSEARCHED
from errdex.words import Words


@dataclass(frozen=True)
class Feedback:
    """Where readers report to.

    Attributes:
        origin: where the site is served, without a path.
        contribute_url: a form; `{title}` and `{body}` in it are filled in. Empty: the site's page on contributing.
        api_url: origin of a server that takes votes (`POST /feedback`). Empty: no buttons, only the link.
    """

    origin: str = ""
    contribute_url: str = ""
    api_url: str = ""

    def form(self, entry: Entry, lang: Lang, words: Words) -> str:
        """Address of the form, filled in with what is known of the entry."""
        title = words["feedback_title"].format(id=entry.id, title=entry.pages[lang].title)
        body = words["feedback_body"].format(url=f"{self.origin}/{lang}/{entry.path}/")
        return filled_form(self.contribute_url, title, body)

    def buttons(self, entry: Entry, words: Words) -> list[str]:
        """Two buttons, which `site/assets/vote.js` brings to life."""
        if not self.api_url:
            return []
        data = {
            "vote": entry.id,
            "api": f"{self.api_url.rstrip('/')}/",
            "thanks": words["lookup_vote_thanks"],
            "failed": words["lookup_vote_failed"],
        }
        attributes = " ".join(f'data-{name}="{html.escape(value)}"' for name, value in data.items())
        choices = " ".join(
            f'<button type="button" class="md-button" data-right="{right}">{html.escape(words[f"lookup_vote_{label}"])}</button>'
            for right, label in (("true", "right"), ("false", "wrong"))
        )
        return [f'<p class="ex-vote" {attributes}>{choices} <span role="status"></span></p>']

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
            *self.buttons(entry, words),
            f"{words['feedback_text']} {link}\n{{ .ex-feedback }}",
        ]
