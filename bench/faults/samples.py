"""Small indexes of real entries, for the runs that damage, kill and swap them."""

from pathlib import Path

from bench.faults import sockets
from errdex.catalog import Catalog, load_catalog
from errdex.encoder import Encoder
from errdex.index import Index, build_index, previous_index, save_index
from errdex.settings import Settings

LOG = sockets.LOG.decode()
_ENTRIES = ("AMP001", "AMP002", "AMP003")
_ANSWERS = "AMP003"  # the entry that answers LOG


def edition(number: int, encoder: Encoder) -> Index:
    """An index of three entries; the title of the one that answers `LOG` tells the edition."""
    catalog = load_catalog()
    entries = {entry_id: catalog.get(entry_id) for entry_id in _ENTRIES}
    entry = entries[_ANSWERS]
    page = entry.pages["en"]
    titled = page.model_copy(update={"title": title(number)})
    entries[_ANSWERS] = entry.model_copy(update={"pages": {**entry.pages, "en": titled}})
    # What `errdex index` has encoded already is not encoded again.
    return build_index(Catalog(entries=entries, digest=f"edition {number}"), encoder, previous=previous_index(Settings().index))


def title(number: int) -> str:
    """Title of the entry that answers `LOG`, in an edition."""
    return f"Edition {number}"


def save_pair(root: Path, encoder: Encoder) -> tuple[str, str]:
    """Save two editions in one folder, the second one current; returns the names of both versions."""
    first = save_index(edition(1, encoder), root)
    second = save_index(edition(2, encoder), root)
    return first.name, second.name
