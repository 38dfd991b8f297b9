"""The built site: MkDocs run once per language, and the result put in place as a whole."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path

from errdex.beside import write_beside
from errdex.browser import BrowserLookup, browser_lookup
from errdex.catalog import PACKAGE, Catalog
from errdex.entry import LANGS, Lang
from errdex.errors import SiteError
from errdex.lookupbox import Hosting
from errdex.searchindex import write_search
from errdex.signpost import write_signposts
from errdex.staging import stage_site
from errdex.words import SiteWords, read_words

_QUIET = {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}


def _run_mkdocs(config: Path, out: Path) -> None:
    # Never with --quiet: it hides the warnings that --strict counts.
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(config), "-d", str(out)]
    done = subprocess.run(command, env=os.environ | _QUIET, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SiteError(f"mkdocs build --strict -f {config} failed:\n{done.stderr.strip()}")


def _build_language(catalog: Catalog, lang: Lang, words: SiteWords, config: Path, out: Path, origin: str) -> None:
    _run_mkdocs(config, out)
    write_beside(catalog, lang, words, out, origin)


def _swap(new: Path, out: Path) -> None:
    """Put the finished site where the old one stood; a server sees the one or the other, never a mixture."""
    old = new.with_name(f"{new.name}.old")
    if out.exists():
        out.rename(old)
    new.rename(out)
    shutil.rmtree(old, ignore_errors=True)


def staged_folder(out: Path) -> Path:
    """Where the pages that MkDocs reads are written: beside the site, with `-src` in its name."""
    return out.resolve().with_name(f"{out.name}-src")


def prepare_site(catalog: Catalog, out: Path, hosting: Hosting, root: Path = PACKAGE.parents[1]) -> BrowserLookup:
    """Write what MkDocs reads, and no more.

    Args:
        catalog: the entries.
        out: where the site will go.
        hosting: where it will stand, and what it is connected to.
        root: a checkout, with `mkdocs.yml` and `site/`.

    Returns:
        The lookup in the browser, which the pages refer to.

    Raises:
        SiteError: there is no checkout.
    """
    if not (root / "mkdocs.yml").is_file():
        raise SiteError(f"{root} holds no mkdocs.yml: the site is built from a checkout of errdex, not from a package")
    lookup = browser_lookup(catalog, root / "site" / "lookup")
    stage_site(catalog, root / "site", staged_folder(out), replace(hosting, lookup=lookup.folder))
    return lookup


def build_site(
    catalog: Catalog,
    out: Path,
    hosting: Hosting,
    progress: Callable[[str, int, int], None] = lambda _label, _done, _total: None,
    root: Path = PACKAGE.parents[1],
) -> None:
    """Build the site in three languages.

    Args:
        catalog: the entries.
        out: where the site goes.
        hosting: where it will stand, and what it is connected to.
        progress: is told what is being done, how many steps are done, and how many there are.
        root: a checkout, with `mkdocs.yml` and `site/`.

    Raises:
        SiteError: there is no checkout, or MkDocs warned or failed; a site that was there stays.
    """
    out, staged = out.resolve(), staged_folder(out)
    steps = len(LANGS) + 1
    progress("pages", 0, steps)
    lookup = prepare_site(catalog, out, hosting, root)
    words = read_words(root / "site" / "strings.toml")
    new = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        new.chmod(0o755)  # mkdtemp is for its owner alone; a server may run as another user
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            builds = {
                pool.submit(_build_language, catalog, lang, words, staged / f"{lang}.yml", new / lang, hosting.origin): lang
                for lang in LANGS
            }
            for done, build in enumerate(as_completed(builds), start=1):
                build.result()
                progress(builds[build], done, steps)
        write_search(catalog, words.common, {lang: new / lang for lang in LANGS})
        shutil.copytree(root / "site" / "root", new, dirs_exist_ok=True)
        (new / lookup.folder).mkdir(parents=True)
        for name, content in lookup.files.items():
            (new / lookup.folder / name).write_bytes(content)
        write_signposts(catalog, words, root / "site", new, hosting.origin)
        _swap(new, out)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    progress("site", steps, steps)
