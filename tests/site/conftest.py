"""The site, built once for all test workers and served by each; and the browser that looks at it."""

import contextlib
import functools
import http.server
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from playwright.sync_api import Browser, Page, Route, sync_playwright

from errdex.catalog import load_catalog
from errdex.lookupbox import Hosting
from errdex.sitebuild import build_site
from errdex.web.site import content_security_policy
from tests.site.browsing import API, DESKTOP, ORIGIN, Site, Visit

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files under the server's own policy, and no `/lookup`: a POST is answered with 501."""

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", content_security_policy(API))
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in http.server
        pass


def built_site(shared: Path) -> Path:
    """The site; whichever worker comes first builds it, the others wait for it."""
    folder = shared / "site"
    with FileLock(shared / "site.lock"):
        if not folder.is_dir():
            build_site(load_catalog(), folder, Hosting(ORIGIN, api_url=API))
    return folder


@contextlib.contextmanager
def served(folder: Path) -> Iterator[int]:
    """A folder, served at a port of its own."""
    handler = functools.partial(QuietHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[Site]:
    own = tmp_path_factory.getbasetemp()
    folder = built_site(own if worker_id == "master" else own.parent)
    with served(folder) as port:
        yield Site(ORIGIN, folder, load_catalog(), port)


@pytest.fixture(scope="session")
def browser(site: Site) -> Iterator[Browser]:
    if not CHROMIUM.exists():
        reason = f"{CHROMIUM} is not installed; the site was not looked at in a browser"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    host = site.origin.removeprefix("http://")
    with sync_playwright() as playwright:
        flags = [*FLAGS, f"--host-resolver-rules=MAP {host}:80 127.0.0.1:{site.port}"]
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield started
        started.close()


@pytest.fixture
def visit(site: Site, browser: Browser) -> Iterator[Visit]:
    context = browser.new_context(viewport=DESKTOP, locale="en-GB")
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.origin)
    page = context.new_page()
    seen = Visit(page, site.origin, [], [])

    def watch(route: Route) -> None:
        if route.request.url.startswith((f"{site.origin}/", "data:", "blob:")):
            route.continue_()
        else:
            seen.elsewhere.append(route.request.url)
            route.abort()

    page.route("**/*", watch)
    page.on("console", lambda m: seen.complaints.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    yield seen
    context.close()


@pytest.fixture
def plain(browser: Browser) -> Iterator[Page]:
    """A page without JavaScript, for looking at many pages quickly."""
    context = browser.new_context(viewport=DESKTOP, java_script_enabled=False)
    yield context.new_page()
    context.close()
