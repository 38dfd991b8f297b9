"""Markdown as the site writes it: titles, code, folded parts and what stands in front of a page."""

import html
import json
import re

from errdex.page import code_block

_MARK = re.compile(r"[^\w\s]|_")
_MARKDOWN = re.compile(r"([\\*_{}\[\]>#])")


def _literal(text: str) -> str:
    """Text in which no mark means anything; Markdown knows no backslash before `<`."""
    return _MARKDOWN.sub(r"\\\1", text).replace("&", "&amp;").replace("<", "&lt;")


def title_markdown(title: str) -> str:
    """A title as Markdown: its words literal, only its code spans kept."""
    parts = title.split("`")
    if len(parts) % 2 == 0:
        parts = [title]
    return "`".join(_literal(part) if i % 2 == 0 else part for i, part in enumerate(parts))


def plain_title(title: str) -> str:
    """A title where the theme writes HTML as it stands: the navigation, the head of a page."""
    return html.escape(title.replace("`", ""), quote=False)


def code_markdown(text: str) -> str:
    """A line as an inline code element, in which no mark means anything to Markdown or HTML."""
    return f"<code>{_MARK.sub(lambda mark: f'&#{ord(mark[0])};', text)}</code>"


def fenced(code: str, options: str) -> str:
    """A code block with attributes."""
    return code_block(code.rstrip(), f" {{ {options} }}")


def folded(kind: str, title: str, body: str) -> str:
    """A part that is closed until somebody opens it."""
    indented = "\n".join(f"    {line}" if line else "" for line in body.splitlines())
    return f'??? {kind} "{title}"\n\n{indented}'


# Written behind the other attributes of an element that the search must not read.
UNSEARCHED = ' data-search-exclude="true"'


def block(css: str, body: str, attributes: str = "") -> str:
    """A part of the page with a class of its own, its Markdown read as usual."""
    return f'<div class="{css}"{attributes} markdown="1">\n\n{body}\n\n</div>'


def quoted(text: str) -> str:
    """A text as a YAML string; JSON is YAML. The templates escape it."""
    return json.dumps(text.replace("`", ""), ensure_ascii=False)
