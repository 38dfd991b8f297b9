"""The index that a command works with: the one on disk if it fits, else a new one."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rich.markup import escape

from errdex.catalog import Catalog, knowledge_digest, load_catalog, read_entries
from errdex.cli.terminal import errors_console, progress_bar
from errdex.encoder import Encoder, encoder_name, load_encoder
from errdex.errors import CatalogError, ErrdexError
from errdex.index import Index, build_index, content_hash, load_index, save_index
from errdex.settings import Settings
from errdex.signatures import SignatureMatcher
from errdex.versions import read_manifest


@dataclass(frozen=True)
class Built:
    """An index, the encoder that made it, and whether it was made just now."""

    index: Index
    encoder: Encoder
    anew: bool


def fitting_index(settings: Settings) -> Built:
    """The index of today's knowledge and model: the one on disk if it is of the same content, else a new one."""
    built = index_of(load_catalog(settings.kb), settings)
    if built.anew:
        save_index(built.index, settings.index)
    return built


def ensure_index(settings: Settings) -> bool:
    """Build the index where there is none of today's knowledge and model; says whether it did.

    One that fits is not loaded: whoever serves it does that.
    """
    manifest = read_manifest(settings.index)
    if manifest is not None and manifest.fits(knowledge_digest(settings.kb), encoder_name(settings.encoder)):
        return False
    return fitting_index(settings).anew


def usable(kb: Path) -> Catalog:
    """The entries that can be read and whose signatures compile."""
    usable = {}
    for entry_id, entry in read_entries(kb)[0].items():
        with suppress(CatalogError):
            SignatureMatcher([entry])
            usable[entry_id] = entry
    return Catalog(entries=usable, digest="usable")


def index_of(catalog: Catalog, settings: Settings) -> Built:
    """The index of a catalog: the one on disk if it is of the same content, else a new one, which is not saved."""
    encoder = load_encoder(settings.encoder)
    previous = None
    if read_manifest(settings.index):
        try:
            previous = load_index(settings.index)
        except ErrdexError as error:
            errors_console().print(f"{escape(error.detail)} Building it again.")
        else:
            if previous.manifest.content == content_hash(catalog, encoder):
                return Built(previous, encoder, anew=False)
    with progress_bar() as progress:
        task = progress.add_task("index", total=None)
        index = build_index(
            catalog,
            encoder,
            lambda label, done, total: progress.update(task, description=label, completed=done, total=total),
            previous,
        )
    return Built(index, encoder, anew=True)
