"""Commands for those who run a server: `serve`, `settings`."""

import os
import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table

from errdex.cli.built import ensure_index
from errdex.cli.terminal import errors_console
from errdex.settings import Settings


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
    fd: Annotated[int | None, typer.Option(min=0, help="Listening socket that is open already, such as systemd's 3.")] = None,
) -> None:
    """Build what is missing and serve the API, and the site when it has been built."""
    from errdex.journal import start_journal
    from errdex.web.app import create_app
    from errdex.web.server import inherit, listen, run

    settings = Settings()
    ensure_index(settings)
    listener = listen(host, port) if fd is None else inherit(fd)
    if isinstance(address := listener.getsockname(), tuple):
        host, port = address[:2]
    where = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    example = "ValueError: Attempting to unscale FP16 gradients."
    console = errors_console()
    console.print(f"\nerrdex is on {where}  (API: {where}/docs). Try:\n")
    console.print(
        f"  curl -s {where}/lookup -H 'Accept: text/plain' --data-binary '{example}'\n",
        highlight=False,
        soft_wrap=True,
    )
    start_journal(settings.log_format)
    run(create_app(settings), settings, [listener], shared=fd is not None)


def settings(
    markdown: Annotated[bool, typer.Option("--markdown", help="As the page docs/configuration.md.")] = False,
) -> None:
    """Print every setting: its environment variable, its default and what it means."""
    from errdex.configuration import as_markdown, reference, unknown

    if markdown:
        sys.stdout.write(as_markdown())
        return
    table = Table("variable", "default", "meaning", show_lines=False, box=None, pad_edge=False)
    for row in reference():
        name = f"[bold green]{row.variable}[/]" if os.environ.get(row.variable) else row.variable
        table.add_row(name, Markdown(row.default), Markdown(row.meaning))
    Console().print(table)
    for name in unknown(os.environ):
        errors_console().print(f"{name} is set, but no setting has this name.", highlight=False, soft_wrap=True)
