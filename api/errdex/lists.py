"""The pages that list entries: by area, library, exception and code, the guides, and an index of each family."""

from itertools import groupby

from errdex.entry import Entry, Lang
from errdex.markup import block, quoted, title_markdown
from errdex.neighbours import guide_mark, link
from errdex.shelves import Family, Shelf, Shelves
from errdex.words import Words

# The search finds the entries themselves.
_UNSEARCHED = "search: {exclude: true}"


def listing(entries: list[Entry], lang: Lang, words: Words, up: str) -> str:
    """Titles with summaries; `up` leads from the page to the folder of its language."""
    items = []
    for entry in entries:
        summary = entry.pages[lang].summary.replace("\n", " ")
        items.append(f"- {link(entry, lang, up)}{guide_mark(entry, words)}\n\n    {summary}")
    return block("ex-list", "\n\n".join(items))


def cards(shelves: list[Shelf], words: Words, up: str) -> str:
    """Names with the number of entries behind each."""
    items = (f"- [{_name(shelf, words)}]({up}{shelf.path}.md) {len(shelf.entries)}" for shelf in shelves)
    return block("ex-areas", "\n".join(items))


def _name(shelf: Shelf, words: Words) -> str:
    return words.areas.get(shelf.name) or title_markdown(shelf.name)


def _heading(family: Family, shelf: Shelf, words: Words) -> str:
    """What the page of a list is called: `Exit code -9`, `torch`."""
    if family == "area":
        return words.areas[shelf.name]
    return words[f"list_{shelf.kind or family}"].format(name=shelf.name)


def _page(title: str, *blocks: str) -> str:
    front = f"---\ntitle: {quoted(title)}\n{_UNSEARCHED}\n---"
    return "\n\n".join([front, f"# {title_markdown(title)}", *blocks]) + "\n"


def _shelf_page(family: Family, shelf: Shelf, lang: Lang, words: Words) -> str:
    """One list, with the way back to the index of its family, which the navigation shows and the list itself is not in."""
    up = "../" * shelf.path.count("/")
    count = words.entries(len(shelf.entries))
    counted = words["by_reports"].format(entries=count) if len(shelf.entries) > 1 else count
    line = f"{counted} · [{words[f'by_{family}']}]({up}{family}.md)\n{{ .ex-count }}"
    return _page(_heading(family, shelf, words), line, listing(shelf.entries, lang, words, up))


def _index_page(family: Family, shelves: list[Shelf], words: Words) -> str:
    """One family: its lists, codes under a heading for each kind."""
    blocks = [words[f"about_{family}"]]
    for kind, same in groupby(shelves, key=lambda shelf: shelf.kind):
        heading = [f"## {words[f'codes_{kind}']} {{ #{kind} }}"] if kind else []
        blocks += [*heading, cards(list(same), words, "")]
    return _page(words[f"by_{family}"], *blocks)


def _guides_page(shelves: Shelves, lang: Lang, words: Words) -> str:
    blocks = [words["about_guides"]]
    for area in shelves.families["area"]:
        guides = [entry for entry in area.entries if entry.kind == "guide"]
        if guides:
            blocks += [f"## {words.areas[area.name]} {{ #{area.name} }}", listing(guides, lang, words, "")]
    return _page(words["guides"], *blocks)


def list_pages(shelves: Shelves, lang: Lang, words: Words) -> dict[str, str]:
    """The Markdown of every list, by its path below the language."""
    pages = {"guides.md": _guides_page(shelves, lang, words)}
    for family, members in shelves.families.items():
        pages[f"{family}.md"] = _index_page(family, members, words)
        pages |= {f"{shelf.path}.md": _shelf_page(family, shelf, lang, words) for shelf in members}
    return pages


def list_nav(shelves: Shelves, words: Words) -> list[dict[str, str]]:
    """What the navigation names of the lists: their indexes; each leads on to the lists of its family."""
    indexes = [{words[f"by_{family}"]: f"{family}.md"} for family in shelves.families]
    return [{words["all_entries"]: "all.md"}, {words["guides"]: "guides.md"}, *indexes]


def unlisted(shelves: Shelves) -> list[str]:
    """Pages that the navigation leaves out, to stay short; each is linked from the index of its family."""
    return [f"/{shelf.path}.md" for family, members in shelves.families.items() if family != "area" for shelf in members]
