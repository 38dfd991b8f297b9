"""The built pages as a parser sees them: the addresses they name, the anchors they hold, and what could run in them."""

from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

_ADDRESSES = ("href", "src", "action", "data-base")
_RUNS_NOTHING = ("application/json", "application/ld+json")


@dataclass
class Markup:
    """One page.

    Attributes:
        addresses: what it links to or loads, as written.
        anchors: ids and names that an address may end in.
        runs: scripts inside the page, event handlers, addresses that are programs, frames with markup of their own.
    """

    addresses: set[str] = field(default_factory=set)
    anchors: set[str] = field(default_factory=set)
    runs: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.page = Markup()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        page, known = self.page, dict(attrs)
        if tag == "script" and "src" not in known and known.get("type") not in _RUNS_NOTHING:
            page.runs.append("<script> without src")
        for name, value in attrs:
            text = (value or "").strip()
            if name in _ADDRESSES:
                page.addresses.add(text)
                if text.lower().startswith(("javascript:", "vbscript:", "data:text")):
                    page.runs.append(f"{tag} {name}={text}")
            elif name == "id" or (name == "name" and tag == "a"):
                page.anchors.add(text)
            elif name.startswith("on") or name == "srcdoc":
                page.runs.append(f"{tag} {name}")


@cache
def read_page(path: Path) -> Markup:
    """Read one page, once."""
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    return reader.page


@dataclass(frozen=True)
class Built:
    """A folder of built pages, served from an origin."""

    folder: Path
    origin: str

    def pages(self) -> list[Path]:
        """Every page, in order."""
        return sorted(self.folder.rglob("*.html"))

    def address(self, path: Path) -> str:
        """Where a page is served."""
        return f"{self.origin}/{path.relative_to(self.folder).as_posix().removesuffix('index.html')}"

    def file(self, path: str) -> Path:
        """The file behind a path of an address."""
        found = self.folder / unquote(path).lstrip("/")
        return found / "index.html" if found.is_dir() else found

    def broken(self, path: Path) -> list[str]:
        """Addresses of the page within the site that lead nowhere, or to an anchor that is not there."""
        wrong = []
        here = self.address(path)
        for address in sorted(read_page(path).addresses):
            target = urlsplit(urljoin(here, address))
            if f"{target.scheme}://{target.netloc}" != self.origin:
                continue
            file = self.file(target.path)
            anchors = read_page(file).anchors if file.suffix == ".html" and file.is_file() else {target.fragment}
            if not file.is_file() or (target.fragment and unquote(target.fragment) not in anchors):
                wrong.append(address)
        return wrong
