"""`errdex site` and `errdex benchmark`: what is published."""

import json
import sys
from datetime import date
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from errdex.catalog import PACKAGE, load_catalog
from errdex.cli.built import fitting_index
from errdex.cli.terminal import errors_console, progress_bar
from errdex.settings import Settings


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
        errors_console().print(f"pages written: {staged_folder(settings.site)}", soft_wrap=True)
        return
    with progress_bar() as progress:
        task = progress.add_task("site", total=None)
        build_site(
            load_catalog(settings.kb),
            settings.site,
            hosting,
            lambda label, done, total: progress.update(task, description=label, completed=done, total=total),
            checkout,
        )
    if not can_write("zh-CN"):
        errors_console().print(
            "No Chinese font is installed (Debian: fonts-noto-cjk): cards of Chinese pages are in English.", soft_wrap=True
        )
    errors_console().print(f"site built: {settings.site}", soft_wrap=True)


def benchmark(
    fit: Annotated[bool, typer.Option("--fit", help="Fit the ranking's coefficients and print them.")] = False,
    speed: Annotated[bool, typer.Option("--speed", help="Measure a server's speed instead.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="With --speed: six minutes instead of sixteen.")] = False,
    scale: Annotated[bool, typer.Option("--scale", help="With --speed: also retrieval among up to a million entries.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Results as JSON.")] = False,
    publish: Annotated[
        Path | None, typer.Option(help="Write the results to this file too, for the site and the documentation.")
    ] = None,
) -> None:
    """Measure lookup quality on the labelled reports in bench/, or a server's speed beside an echo and two peers."""
    from errdex.benchmark import measure, print_results
    from errdex.fit import fit_coefficients
    from errdex.latency import CHECKOUT, measure_scale, measure_speed, print_speed, publish_speed
    from errdex.publication import publish_scores

    if (quick or scale) and not speed:
        raise typer.BadParameter("--quick and --scale go with --speed.")
    settings = Settings()
    if speed:
        fitting_index(settings)
        measured = measure_speed(settings, quick=quick)
        if publish:
            publish_speed(measured, publish, CHECKOUT / "docs" / "benchmark.md")
        if as_json:
            sys.stdout.write(measured.model_dump_json(indent=1) + "\n")
        else:
            print_speed(measured, Console())
        if scale:
            sys.stdout.write(measure_scale(settings))
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
