"""All commands under one name, and the entry point."""

import sys
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.console import Console

from errdex import __version__
from errdex.cli import access, curation, knowledge, lookups, publishing, service
from errdex.cli.terminal import fail
from errdex.configuration import unreadable
from errdex.errors import ErrdexError
from errdex.settings import Settings

COMMANDS = (
    lookups.lookup,
    lookups.explain,
    service.serve,
    service.settings,
    knowledge.index,
    knowledge.new,
    knowledge.check,
    knowledge.repro,
    curation.unanswered,
    curation.stats,
    publishing.site,
    publishing.benchmark,
)

app = typer.Typer(
    name="errdex",
    help="Paste a training error, get the right, executed fix.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in COMMANDS:
    app.command()(command)
app.add_typer(access.keys, name="keys")


@app.callback(invoke_without_command=True)
def _version(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    if version:
        Console().print(__version__)
        raise typer.Exit


def main() -> None:
    """Entry point: an error of errdex is one clear message and exit status 2."""
    try:
        app(standalone_mode=True)
    except ErrdexError as error:
        _stop(error)
    except ValidationError as error:
        if error.title != Settings.__name__:
            raise
        _stop(unreadable(error))


def _stop(error: ErrdexError) -> None:
    try:
        fail(error)
    except typer.Exit as stop:
        sys.exit(stop.exit_code)
