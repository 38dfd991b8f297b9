"""Commands for curators: `unanswered` and `stats`, out of what a server has stored."""

import json
import sys
from datetime import datetime
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from errdex.catalog import load_catalog
from errdex.cli.built import fitting_index
from errdex.cli.terminal import errors_console
from errdex.coverage import weeks
from errdex.lookup import Lookup
from errdex.models import Status, UnansweredOut, UnansweredSummary
from errdex.settings import Settings

_TOP = 10  # unanswered errors that `stats` shows


def _named(row: UnansweredSummary) -> str:
    return f"{row.type}: {row.message}" if row.type else row.message


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _rows(rows: list[UnansweredSummary]) -> Table:
    table = Table("id", "seen", "last seen", "state", "error", "nearest", box=None, pad_edge=False)
    for row in rows:
        nearest = next((f"{name} {confidence:.2f}" for name, confidence in row.nearest.items()), "")
        state = f"{row.state} {row.entry}" if row.entry else row.state
        table.add_row(str(row.id), str(row.count), str(row.last_seen), state, escape(_named(row)[:100]), nearest)
    return table


def _print_row(row: UnansweredOut) -> None:
    console = Console()
    console.print(f"[bold]{escape(_named(row))}[/]", soft_wrap=True)
    facts = {
        "seen": f"{row.count} times, from {row.first_seen} to {row.last_seen}",
        "state": f"{row.state} {row.entry}" if row.entry else row.state,
        "libraries": _counted(row.libraries),
        "versions": "; ".join(f"{name}: {_counted(counts)}" for name, counts in row.versions.items()),
        "languages": _counted(row.languages),
        "nearest": ", ".join(f"{name} {confidence:.2f}" for name, confidence in row.nearest.items()),
    }
    for name, told in facts.items():
        if told:
            console.print(f"[dim]{name}[/]  {escape(told)}", highlight=False, soft_wrap=True)
    for number, sample in enumerate(row.samples, start=1):
        console.print(f"\n[dim]sample {number}[/]")
        console.print(escape(sample), highlight=False, soft_wrap=True)


def unanswered(
    number: Annotated[int | None, typer.Argument(metavar="ID", help="Number of one of them: show all of it.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Rows at most.")] = 20,
    since: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Count from this day (UTC) on only.")] = None,
    words: Annotated[str, typer.Option("--words", "-q", help="A part of the type or the message.")] = "",
    closed: Annotated[bool, typer.Option("--all", help="Also those that are resolved or answered by now.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, as the server gives it.")] = False,
    resolve: Annotated[str | None, typer.Option(metavar="ENTRY", help="Mark ID as resolved by this entry.")] = None,
    reopen: Annotated[bool, typer.Option("--reopen", help="Mark ID as open again.")] = False,
    recheck: Annotated[
        bool, typer.Option("--recheck", help="Look all of them up again; mark what an entry matches by now.")
    ] = False,
) -> None:
    """What a server could not answer, the most frequent first: what to write next."""
    from errdex.store import open_store, today

    settings = Settings()
    store = open_store(settings)
    if recheck:
        _recheck(settings)
        return
    if (resolve or reopen) and number is None:
        raise typer.BadParameter("say which row, by its ID")
    if number is not None:
        if resolve:
            store.close_row(number, "resolved", load_catalog(settings.kb).get(resolve).id, today())
        elif reopen:
            store.close_row(number, "open", None, today())
        row = store.unanswered_row(number)
        if as_json:
            sys.stdout.write(row.model_dump_json(indent=2) + "\n")
        else:
            _print_row(row)
        return
    rows = store.unanswered(limit, since.date() if since else None, words, closed=closed)
    if as_json:
        sys.stdout.write(json.dumps([row.model_dump(mode="json") for row in rows], indent=2, ensure_ascii=False) + "\n")
    elif rows:
        Console().print(_rows(rows))
    else:
        errors_console().print("Nothing that was unanswered is stored.")


def _recheck(settings: Settings) -> None:
    from errdex.recheck import recheck
    from errdex.store import open_store, today

    built = fitting_index(settings)
    lookup = Lookup(built.index, built.encoder if settings.asks_model else None)
    console, found = Console(), 0
    for row, entry in recheck(open_store(settings), lookup, today()):
        found += 1
        console.print(f"{row.id}  {entry}  {escape(_named(row)[:100])}", highlight=False, soft_wrap=True)
    console.print(f"{found} answered by now")


def stats(as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """Lookups and coverage by week, the most frequent unanswered errors, and what readers say of the entries."""
    from errdex.store import open_store

    store = open_store(Settings())
    by_week, top, said = weeks(store.lookups()), store.unanswered(_TOP), store.feedback()
    if as_json:
        report = {
            "weeks": [{"monday": str(w.monday), "lookups": w.counts, "coverage": round(w.coverage, 4)} for w in by_week],
            "unanswered": [row.model_dump(mode="json") for row in top],
            "feedback": [row.model_dump(mode="json") for row in said],
        }
        sys.stdout.write(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
        return
    console = Console()
    lookups = Table("week of", "lookups", *(status.value for status in Status), "coverage", box=None, pad_edge=False)
    for week in by_week:
        counts = (str(week.counts.get(status.value, 0)) for status in Status)
        lookups.add_row(str(week.monday), str(week.total), *counts, f"{week.coverage:.1%}")
    console.print(lookups)
    if top:
        console.print("\nUnanswered", style="bold")
        console.print(_rows(top))
    if said:
        console.print("\nFeedback", style="bold")
        votes = Table("entry", "right", "wrong", "verified", box=None, pad_edge=False)
        for row in said:
            votes.add_row(row.entry, str(row.right), str(row.wrong), str(row.verified))
        console.print(votes)
