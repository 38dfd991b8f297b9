"""The entries beside an entry: those that are easily taken for it, and those that became part of it."""

from errdex.catalog import Catalog
from errdex.entry import Entry, Lang
from errdex.markup import UNSEARCHED, block, code_markdown, title_markdown
from errdex.wording import wordings
from errdex.words import Words

_LONGEST_LINE = 160


def link(entry: Entry, lang: Lang, up: str = "../") -> str:
    """A link to an entry's page; `up` leads from the page it stands on to the folder of its language."""
    return f"[{title_markdown(entry.pages[lang].title)}]({up}{entry.path}.md)"


def guide_mark(entry: Entry, words: Words) -> str:
    """What tells a guide from an error in a list; nothing for an error."""
    return f' <span class="ex-kind">{words["guide"]}</span>' if entry.kind == "guide" else ""


def first_line(entry: Entry) -> str:
    """The message as it is printed, cut to one line; the exceptions where no line of output shows it."""
    seen = next((wording.text.splitlines()[0] for wording in wordings(entry) if wording.seen), " · ".join(entry.exceptions))
    return seen if len(seen) <= _LONGEST_LINE else f"{seen[:_LONGEST_LINE].rstrip()} …"


def _compared(entry: Entry, lang: Lang, words: Words) -> str:
    """One neighbour with what tells it apart: its own message, and what its page says in a sentence."""
    parts = [f"- {link(entry, lang)}{guide_mark(entry, words)}"]
    message = first_line(entry)
    if message:
        parts.append(f"    {code_markdown(message)}")
    summary = entry.pages[lang].summary.replace("\n", " ")
    parts.append(f"    {summary}")
    return "\n\n".join(parts)


def neighbours_section(entry: Entry, lang: Lang, words: Words, catalog: Catalog, prose: list[str]) -> list[str]:
    """The section of the page on other entries; empty where there is nothing to say.

    Args:
        entry: the entry.
        lang: language of the page.
        words: what the site says in that language.
        catalog: where the others are found.
        prose: the section as the page itself has it, with its heading; empty when it has none.
    """
    related = [catalog.entries[i] for i in entry.related if i in catalog.entries]
    merged = [other for other in catalog if other.status == f"merged-into:{entry.id}"]
    blocks = ["\n".join(prose)] if prose else [f"## {words['see_also']} {{ #see-also }}"]
    if related:
        listed = "\n\n".join(_compared(other, lang, words) for other in related)
        blocks.append(block("ex-list ex-related", listed, UNSEARCHED))
    if merged:
        blocks += [words["merged_here"], "\n".join(f"- {link(other, lang)}" for other in merged)]
    return blocks if prose or related or merged else []
