"""Whether a page is valid HTML: what a strict parser complains of, ids used twice, and elements where they may not stand."""

from collections import Counter

import html5lib  # type: ignore[import-untyped]  # it ships no types

_HTML = "{http://www.w3.org/1999/xhtml}"
# Content that browsers do not refuse but the standard does: interactive elements in each other, blocks in text.
_INTERACTIVE = {"a", "button", "select", "textarea", "label"}
_ALLOWED = {("label", "a"), ("label", "select"), ("label", "textarea")}
_TEXT_ONLY = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "span", "code", "button"}
_BLOCKS = {"div", "p", "ul", "ol", "dl", "table", "section", "article", "h1", "h2", "h3", "form", "details", "pre"}


def faults(markup: str) -> set[str]:
    """What is wrong with a page, each fault once, without the place where it stands."""
    parser = html5lib.HTMLParser(namespaceHTMLElements=True)
    document = parser.parse(markup)
    found = {f"{code} {data.get('name', '')}".strip() for _, code, data in parser.errors}
    ids = Counter(element.get("id") for element in document.iter() if element.get("id") is not None)
    found |= {f"id twice: {name}" for name, count in ids.items() if count > 1}
    found |= {"id with a space" for name in ids if " " in name or not name}
    for outer in document.iter():
        name = str(outer.tag).removeprefix(_HTML)
        if name in _INTERACTIVE | _TEXT_ONLY:
            inner = {str(child.tag).removeprefix(_HTML) for child in outer.iter() if child is not outer}
            found |= {f"{i} in {name}" for i in inner & _INTERACTIVE if name in _INTERACTIVE and (name, i) not in _ALLOWED}
            found |= {f"{other} in {name}" for other in inner & _BLOCKS if name in _TEXT_ONLY}
        if name == "img" and outer.get("alt") is None:
            found.add("img without alt")
        if name == "dl" and (odd := {str(c.tag).removeprefix(_HTML) for c in outer} - {"dt", "dd", "div", "script", "template"}):
            found.add(f"{', '.join(sorted(odd))} in dl")
        if name in ("ul", "ol") and {str(c.tag).removeprefix(_HTML) for c in outer} - {"li", "script", "template"}:
            found.add(f"not only li in {name}")
    return found
