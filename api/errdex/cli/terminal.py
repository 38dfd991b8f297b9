"""What every command shares: the console, a clear failure, a progress bar, and reading a log."""

import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from errdex.errors import CatalogError, ErrdexError, InputError

_MAX_INPUT = 8 << 20  # bytes of a log that are read; the end of a longer one, where the error stands

Ids = Annotated[list[str] | None, typer.Argument(help="Entry ids or slugs; all by default.")]


def errors_console() -> Console:
    """What is not the answer goes to standard error."""
    return Console(stderr=True)


def fail(error: ErrdexError) -> NoReturn:
    """Say what is wrong and what to do, and end with status 2."""
    console = errors_console()
    findings = error.findings if isinstance(error, CatalogError) else (error.detail,)
    console.print(f"[bold red]{escape(error.title)}[/]")
    for finding in findings:
        console.print(f"  {escape(finding)}", highlight=False, soft_wrap=True)
    raise typer.Exit(2)


def progress_bar() -> Progress:
    """A bar for work that takes seconds."""
    columns = (TextColumn("{task.description:<24}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=errors_console())


def read_input(path: Path | None) -> str:
    """The log in a file, or on standard input."""
    from errdex.web.body import decode

    if path is None or str(path) == "-":
        if sys.stdin.isatty():
            errors_console().print("Paste the log, then press Ctrl-D (Ctrl-Z and Enter on Windows).")
        data = sys.stdin.buffer.read()
    else:
        try:
            data = path.read_bytes()
        except OSError as error:
            fail(InputError(f"{path} cannot be read: {error.strerror}."))
    if len(data) > _MAX_INPUT:
        errors_console().print(f"The log has {len(data):,} bytes; reading its last {_MAX_INPUT:,}.")
        data = data[-_MAX_INPUT:]
    return decode(data)
