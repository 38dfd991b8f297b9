"""Commands for those who write entries: `index`, `new`, `check`, `repro`."""

from collections import Counter
from datetime import date
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from errdex.catalog import load_catalog
from errdex.cli.built import fitting_index, index_of, usable
from errdex.cli.terminal import Ids, errors_console, read_input
from errdex.errors import CatalogError, InputError
from errdex.lookup import Lookup
from errdex.settings import Settings


def index() -> None:
    """Build the index; a running server takes it up by itself."""
    settings = Settings()
    built = fitting_index(settings)
    errors_console().print(f"index {'built' if built.anew else 'is up to date'}: {settings.index}", soft_wrap=True)


def new(
    area: Annotated[str, typer.Argument(help="amp, acc, mem, …: the folder of kb/entries that it belongs in.")],
    slug: Annotated[str, typer.Argument(help="Name of the failure: loss-scale-at-minimum.")],
    source: Annotated[list[str], typer.Option(help="Address that the entry rests on; once per source.")],
    log: Annotated[Path | None, typer.Argument(help="What the program printed; - or nothing reads standard input.")] = None,
    product: Annotated[list[str] | None, typer.Option(help="Import name of a library concerned; once per library.")] = None,
    from_unanswered: Annotated[
        int | None,
        typer.Option("--from-unanswered", metavar="N", help="Begin from what a server has stored: `errdex unanswered`."),
    ] = None,
) -> None:
    """Begin an entry from a log: its folder with a first signature, empty pages and the log as a sample."""
    from errdex.draft import write_draft

    settings = Settings()
    if from_unanswered is None:
        logs = [read_input(log)]
    else:
        logs, seen = _stored(settings, from_unanswered)
        product = product or seen
    if not product:
        raise InputError("Name the libraries concerned: `--product torch`.", field="product")
    first, more = logs[0], logs[1:]
    folder = write_draft(settings.kb, area, slug, first, products=product, sources=source, added=date.today(), more=more)
    console = Console()
    console.print(f"written: {folder}", highlight=False, soft_wrap=True)
    console.print(f"What is still to do: errdex check {slug}", highlight=False, soft_wrap=True)


def _stored(settings: Settings, number: int) -> tuple[list[str], list[str]]:
    """The samples of an unanswered error, and those of its libraries that entries are about."""
    from errdex.store import open_store

    row = open_store(settings).unanswered_row(number)
    if not row.samples:
        raise InputError("No sample of it is stored; give the log itself.", field="log")
    known = {product for entry in load_catalog(settings.kb) for product in entry.products}
    return row.samples, [name for name in row.libraries if name in known] or list(row.libraries)[:1]


def check(
    ids: Ids = None,
    stamp: Annotated[bool, typer.Option("--stamp", help="Record that the translations were read against en.md.")] = False,
) -> None:
    """Check every rule of the knowledge base; lists all findings at once."""
    from errdex.checks import run_checks, stamp_translations

    settings = Settings()
    if stamp:
        for entry in load_catalog(settings.kb):
            if not ids or entry.id in ids or entry.slug in ids:
                stamp_translations(settings.kb / "entries" / entry.path)
    console = Console()
    try:
        built = fitting_index(settings)
    except CatalogError:
        # Everything else can be said all the same.
        errors_console().print("Some entries cannot be used: the samples of the others are ranked without them.")
        built = index_of(usable(settings.kb), settings)
    findings = run_checks(settings.kb, ids or (), Lookup(built.index, built.encoder))
    for finding in findings:
        console.print(escape(str(finding)), highlight=False, soft_wrap=True)
    console.print(f"{len(findings)} findings")
    raise typer.Exit(1 if findings else 0)


def repro(
    ids: Ids = None,
    stamp: Annotated[bool, typer.Option("--stamp", help="Record the run in [checked].")] = False,
) -> None:
    """Run broken.py, fixed.py and example.py of the entries."""
    from errdex.repro import run_repro

    console = Console()
    outcomes = run_repro(
        Settings().kb,
        ids or (),
        stamp=stamp,
        progress=lambda line: console.print(escape(line), highlight=False),
    )
    counts = Counter(outcome.state for outcome in outcomes)
    console.print(", ".join(f"{counts[state]} {state}" for state in ("passed", "failed", "skipped", "none")))
    raise typer.Exit(1 if counts["failed"] else 0)
