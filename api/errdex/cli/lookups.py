"""`errdex lookup` and `errdex explain`: an answer in the terminal."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.markup import escape
from rich.padding import Padding

from errdex.catalog import load_catalog
from errdex.cli.built import fitting_index
from errdex.cli.terminal import read_input
from errdex.language import parse_lang
from errdex.links import Links
from errdex.lookup import Lookup
from errdex.models import Answer, Result, Status
from errdex.render import labels, verified_line
from errdex.settings import Settings

EXIT = {Status.MATCH: 0, Status.CANDIDATES: 3, Status.NO_MATCH: 4}
_STYLE = {Status.MATCH: "bold green", Status.CANDIDATES: "bold yellow", Status.NO_MATCH: "bold red"}


def _print_result(console: Console, result: Result) -> None:
    words = labels(result.lang)
    console.print(f"[bold]{escape(result.title)}[/]  [dim]{result.id}[/]")
    console.print(Padding(Markdown(result.summary), (1, 0, 1, 0)))
    because = f"{words['because']}: {words[result.evidence.stage.value]} · {words['confidence']} {result.confidence:.2f}"
    console.print(f"[dim]{escape(because)}[/]")
    for number, fix in enumerate(result.fixes, start=1):
        console.print(f"\n[bold cyan]{number}. {escape(fix.title)}[/]\n")
        console.print(Padding(Markdown(fix.markdown, code_theme="ansi_dark"), (0, 0, 0, 2)))
    if result.kind == "error":
        console.print(f"\n[dim]{escape(verified_line(result.verified, result.lang))}[/]")
    console.print(f"{words['page']}: {result.url}", style="dim", soft_wrap=True)


def _print_answer(answer: Answer) -> None:
    console = Console()
    words = labels(answer.lang)
    console.print(f"[{_STYLE[answer.status]}]{words[answer.status.value]}[/]")
    if root := answer.report.root:
        where = f"{words['rank']} {root.rank}, " if root.rank is not None else ""
        message = f"{root.type}: {root.message}" if root.type else root.message
        console.print(f"[dim]{where}{words['line']} {root.line}[/]  {escape(message.splitlines()[0][:300])}", soft_wrap=True)
    console.print()
    shown = answer.results
    if answer.status is Status.MATCH:
        _print_result(console, answer.results[0])
        shown = answer.results[1:]
        if shown:
            console.print(f"\n{words['also']}:")
    elif answer.status is Status.NO_MATCH:
        if answer.report.root is None:
            console.print(words["nothing"])
        elif answer.looked_for:
            console.print(f"{words['looked_for']}: {escape(answer.looked_for)}", soft_wrap=True)
        if answer.contribute:
            console.print(f"{words['contribute']}: {answer.contribute}", soft_wrap=True)
    for result in shown:
        console.print(f"  {result.id}  {escape(result.title)}  [dim]{result.confidence:.2f}  {result.url}[/]", soft_wrap=True)


def lookup(
    file: Annotated[Path | None, typer.Argument(help="A log; - or nothing reads standard input.")] = None,
    lang: Annotated[str | None, typer.Option(help="en, zh-CN or zh-TW; by default the language of the text.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10, help="Results at most.")] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="The answer as JSON, as the server gives it.")] = False,
) -> None:
    """Look a log up: `python train.py 2>&1 | errdex lookup`. Exit status 0 match, 3 candidates, 4 no match."""
    settings = Settings()
    text = read_input(file)
    built = fitting_index(settings)
    found = Lookup(built.index, built.encoder if settings.asks_model else None, Links(settings.base_url, settings.contribute_url))
    answer = found.answer(text, lang=parse_lang(lang) if lang else None, limit=limit)
    if as_json:
        sys.stdout.write(answer.model_dump_json(indent=2) + "\n")
    else:
        _print_answer(answer)
    raise typer.Exit(EXIT[answer.status])


def explain(
    entry_id: Annotated[str, typer.Argument(metavar="ID", help="Id or slug of an entry.")],
    lang: Annotated[str, typer.Option(help="en, zh-CN or zh-TW.")] = "en",
) -> None:
    """Print an entry's page."""
    entry = load_catalog(Settings().kb).get(entry_id)
    Console().print(Markdown(entry.pages[parse_lang(lang)].source, code_theme="ansi_dark"))
