"""The command line: a thin face over the same lookup as the server."""

import json
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.markup import escape
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from errdex import __version__
from errdex.catalog import PACKAGE, Catalog, load_catalog, read_entries
from errdex.encoder import Encoder, load_encoder
from errdex.errors import CatalogError, ErrdexError, InputError
from errdex.index import Index, build_index, content_hash, load_index, read_manifest, save_index
from errdex.language import parse_lang
from errdex.lookup import Links, Lookup
from errdex.models import Answer, Result, Status
from errdex.render import labels, verified_line
from errdex.settings import Settings
from errdex.signatures import SignatureMatcher

app = typer.Typer(
    name="errdex",
    help="Paste a training error, get the right, executed fix.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
EXIT = {Status.MATCH: 0, Status.CANDIDATES: 3, Status.NO_MATCH: 4}
_STYLE = {Status.MATCH: "bold green", Status.CANDIDATES: "bold yellow", Status.NO_MATCH: "bold red"}
_MAX_INPUT = 8 << 20  # bytes of a log that are read; the end of a longer one, where the error stands

Ids = Annotated[list[str] | None, typer.Argument(help="Entry ids or slugs; all by default.")]


def _err() -> Console:
    return Console(stderr=True)


def _fail(error: ErrdexError) -> NoReturn:
    console = _err()
    findings = error.findings if isinstance(error, CatalogError) else (error.detail,)
    console.print(f"[bold red]{escape(error.title)}[/]")
    for finding in findings:
        console.print(f"  {escape(finding)}", highlight=False, soft_wrap=True)
    raise typer.Exit(2)


def _progress() -> Progress:
    columns = (TextColumn("{task.description:<24}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=_err())


@dataclass(frozen=True)
class _Built:
    index: Index
    encoder: Encoder
    anew: bool


def _fitting_index(settings: Settings) -> _Built:
    """The index of today's knowledge and model: the one on disk if it is of the same content, else a new one."""
    built = _index_of(load_catalog(settings.kb), settings)
    if built.anew:
        save_index(built.index, settings.index)
    return built


def _usable(kb: Path) -> Catalog:
    """The entries that can be read and whose signatures compile."""
    usable = {}
    for entry_id, entry in read_entries(kb)[0].items():
        with suppress(CatalogError):
            SignatureMatcher([entry])
            usable[entry_id] = entry
    return Catalog(entries=usable, digest="usable")


def _index_of(catalog: Catalog, settings: Settings) -> _Built:
    encoder = load_encoder(settings.encoder)
    previous = None
    if read_manifest(settings.index):
        try:
            previous = load_index(settings.index)
        except ErrdexError as error:
            _err().print(f"{escape(error.detail)} Building it again.")
        else:
            if previous.manifest.content == content_hash(catalog, encoder):
                return _Built(previous, encoder, anew=False)
    with _progress() as progress:
        task = progress.add_task("index", total=None)
        index = build_index(
            catalog,
            encoder,
            lambda label, done, total: progress.update(task, description=label, completed=done, total=total),
            previous,
        )
    return _Built(index, encoder, anew=True)


def _read_input(path: Path | None) -> str:
    from errdex.web.body import decode

    if path is None or str(path) == "-":
        if sys.stdin.isatty():
            _err().print("Paste the log, then press Ctrl-D (Ctrl-Z and Enter on Windows).")
        data = sys.stdin.buffer.read()
    else:
        try:
            data = path.read_bytes()
        except OSError as error:
            _fail(InputError(f"{path} cannot be read: {error.strerror}."))
    if len(data) > _MAX_INPUT:
        _err().print(f"The log has {len(data):,} bytes; reading its last {_MAX_INPUT:,}.")
        data = data[-_MAX_INPUT:]
    return decode(data)


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


@app.callback(invoke_without_command=True)
def _version(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    if version:
        Console().print(__version__)
        raise typer.Exit


@app.command()
def lookup(
    file: Annotated[Path | None, typer.Argument(help="A log; - or nothing reads standard input.")] = None,
    lang: Annotated[str | None, typer.Option(help="en, zh-CN or zh-TW; by default the language of the text.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10, help="Results at most.")] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="The answer as JSON, as the server gives it.")] = False,
) -> None:
    """Look a log up: `python train.py 2>&1 | errdex lookup`. Exit status 0 match, 3 candidates, 4 no match."""
    settings = Settings()
    text = _read_input(file)
    built = _fitting_index(settings)
    found = Lookup(built.index, built.encoder if settings.asks_model else None, Links(settings.base_url, settings.contribute_url))
    answer = found.answer(text, lang=parse_lang(lang) if lang else None, limit=limit)
    if as_json:
        sys.stdout.write(answer.model_dump_json(indent=2) + "\n")
    else:
        _print_answer(answer)
    raise typer.Exit(EXIT[answer.status])


@app.command()
def index() -> None:
    """Build the index; a running server takes it up by itself."""
    settings = Settings()
    built = _fitting_index(settings)
    _err().print(f"index {'built' if built.anew else 'is up to date'}: {settings.index}", soft_wrap=True)


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
) -> None:
    """Build what is missing and serve the API, and the site when it has been built."""
    import uvicorn

    from errdex.web.app import create_app

    settings = Settings()
    _fitting_index(settings)
    example = "ValueError: Attempting to unscale FP16 gradients."
    console = _err()
    console.print(f"\nerrdex is on http://{host}:{port}  (API: http://{host}:{port}/docs). Try:\n")
    console.print(
        f"  curl -s http://{host}:{port}/lookup -H 'Accept: text/plain' --data-binary '{example}'\n",
        highlight=False,
        soft_wrap=True,
    )
    uvicorn.run(create_app(settings), host=host, port=port, log_level="info", server_header=False)


@app.command()
def explain(
    entry_id: Annotated[str, typer.Argument(metavar="ID", help="Id or slug of an entry.")],
    lang: Annotated[str, typer.Option(help="en, zh-CN or zh-TW.")] = "en",
) -> None:
    """Print an entry's page."""
    entry = load_catalog(Settings().kb).get(entry_id)
    Console().print(Markdown(entry.pages[parse_lang(lang)].source, code_theme="ansi_dark"))


@app.command()
def new(
    area: Annotated[str, typer.Argument(help="amp, acc, mem, …: the folder of kb/entries that it belongs in.")],
    slug: Annotated[str, typer.Argument(help="Name of the failure: loss-scale-at-minimum.")],
    product: Annotated[list[str], typer.Option(help="Import name of a library concerned; once per library.")],
    source: Annotated[list[str], typer.Option(help="Address that the entry rests on; once per source.")],
    log: Annotated[Path | None, typer.Argument(help="What the program printed; - or nothing reads standard input.")] = None,
) -> None:
    """Begin an entry from a log: its folder with a first signature, empty pages and the log as a sample."""
    from errdex.draft import write_draft

    folder = write_draft(Settings().kb, area, slug, _read_input(log), products=product, sources=source, added=date.today())
    console = Console()
    console.print(f"written: {folder}", highlight=False, soft_wrap=True)
    console.print(f"What is still to do: errdex check {slug}", highlight=False, soft_wrap=True)


@app.command()
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
        built = _fitting_index(settings)
    except CatalogError:
        # Everything else can be said all the same.
        _err().print("Some entries cannot be used: the samples of the others are ranked without them.")
        built = _index_of(_usable(settings.kb), settings)
    findings = run_checks(settings.kb, ids or (), Lookup(built.index, built.encoder))
    for finding in findings:
        console.print(escape(str(finding)), highlight=False, soft_wrap=True)
    console.print(f"{len(findings)} findings")
    raise typer.Exit(1 if findings else 0)


@app.command()
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


@app.command()
def site(
    prepare: Annotated[bool, typer.Option("--prepare", help="Only write the Markdown that MkDocs reads.")] = False,
) -> None:
    """Build the static site in three languages."""
    from errdex.cards import can_write
    from errdex.lookupbox import Hosting
    from errdex.sitebuild import build_site, prepare_site, staged_folder

    settings = Settings()
    checkout = PACKAGE.parents[1] if (PACKAGE.parents[1] / "mkdocs.yml").is_file() else Path.cwd()
    hosting = Hosting(settings.base_url.rstrip("/"), api_url=settings.api_url, contribute_url=settings.contribute_url)
    if prepare:
        prepare_site(load_catalog(settings.kb), settings.site, hosting, checkout)
        _err().print(f"pages written: {staged_folder(settings.site)}", soft_wrap=True)
        return
    with _progress() as progress:
        task = progress.add_task("site", total=None)
        build_site(
            load_catalog(settings.kb),
            settings.site,
            hosting,
            lambda label, done, total: progress.update(task, description=label, completed=done, total=total),
            checkout,
        )
    if not can_write("zh-CN"):
        _err().print(
            "No Chinese font is installed (Debian: fonts-noto-cjk): cards of Chinese pages are in English.", soft_wrap=True
        )
    _err().print(f"site built: {settings.site}", soft_wrap=True)


@app.command()
def benchmark(
    fit: Annotated[bool, typer.Option("--fit", help="Fit the ranking's coefficients and print them.")] = False,
    speed: Annotated[bool, typer.Option("--speed", help="Measure a server's speed instead.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Results as JSON.")] = False,
    publish: Annotated[Path | None, typer.Option(help="Write the results to this file too, for the site.")] = None,
) -> None:
    """Measure lookup quality on the labelled reports in bench/, or a server's speed."""
    from errdex.benchmark import measure, print_results
    from errdex.fit import fit_coefficients
    from errdex.latency import measure_speed, print_speed
    from errdex.publication import publish_scores

    settings = Settings()
    if speed:
        _fitting_index(settings)
        print_speed(measure_speed(settings), Console())
        return
    if fit:
        fitted = {name: coefficients.model_dump() for name, coefficients in fit_coefficients(settings).items()}
        sys.stdout.write(json.dumps(fitted, indent=2) + "\n")
        return
    results = publish_scores(settings, publish, date.today()).figures if publish else measure(settings)
    if as_json:
        sys.stdout.write(json.dumps([row.model_dump() for row in results.rows], indent=2) + "\n")
    else:
        print_results(results, Console())


def main() -> None:
    """Entry point: an error of errdex is one clear message and exit status 2."""
    try:
        app(standalone_mode=True)
    except ErrdexError as error:
        try:
            _fail(error)
        except typer.Exit as stop:
            sys.exit(stop.exit_code)
