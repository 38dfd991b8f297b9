"""The HTTP application, put together: what every request passes through, the endpoints, and the site."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator

from fastapi import FastAPI
from fastapi_offline import FastAPIOffline

from errdex import __version__
from errdex.settings import Settings
from errdex.web import problems
from errdex.web.access import Access
from errdex.web.entries import add_entries
from errdex.web.health import add_health
from errdex.web.keyfile import KeyFile
from errdex.web.live import Live
from errdex.web.lookups import add_lookups
from errdex.web.rates import Rates
from errdex.web.requests import RequestScope
from errdex.web.site import SiteFiles


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application; the index is loaded when it starts, and again when a new one is there (or on SIGHUP)."""
    chosen = settings or Settings()
    live = Live(chosen)
    keys = KeyFile(chosen.keys)
    rates = Rates(chosen.rate, chosen.rate_store)

    def reload() -> None:
        keys.reload()
        live.reload()

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await asyncio.to_thread(reload)
        loop = asyncio.get_running_loop()
        with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
            # Windows has no SIGHUP, and a server in a thread may not set handlers; polling still works there.
            loop.add_signal_handler(signal.SIGHUP, lambda: loop.run_in_executor(None, reload))
        watchers = [asyncio.create_task(live.watch()), asyncio.create_task(keys.watch())]
        yield
        for watcher in watchers:
            watcher.cancel()
        await rates.close()

    app = FastAPIOffline(
        title="errdex",
        version=__version__,
        summary="Looks up errors of deep-learning training.",
        lifespan=lifespan,
    )
    app.state.live = live
    app.add_middleware(Access, keys=keys, rates=rates, is_open=chosen.open)
    app.add_middleware(RequestScope)
    problems.install(app)
    add_lookups(app, live, chosen)
    add_entries(app, live)
    add_health(app, live)
    if chosen.site.is_dir():
        app.mount("/", SiteFiles(chosen.site, chosen.api_url), name="site")
    return app
