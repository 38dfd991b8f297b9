"""Addresses that answers name: an entry's page, and a form for a new entry."""

from dataclasses import dataclass
from urllib.parse import quote

from errdex.entry import Entry, Lang
from errdex.models import RootError


def filled_form(form: str, title: str, body: str) -> str:
    """Address of a form with `{title}` and `{body}` filled in."""
    return form.replace("{title}", quote(title, safe="")).replace("{body}", quote(body, safe=""))


@dataclass(frozen=True)
class Links:
    """Where the pages and the contribution form are."""

    base_url: str = "http://127.0.0.1:8000"
    contribute_url: str = ""

    def page(self, entry: Entry, lang: Lang) -> str:
        """Address of an entry's page."""
        return f"{self.base_url.rstrip('/')}/{lang}/{entry.path}/"

    def contribution(self, root: RootError | None) -> str | None:
        """Address of a form for a new entry with the error filled in; None when no form is set."""
        if not self.contribute_url:
            return None
        title = f"{root.type or 'Error'}: {root.message.splitlines()[0][:120]}" if root and root.message else "New error"
        body = root.message[:600] if root else ""
        return filled_form(self.contribute_url, title, body)
