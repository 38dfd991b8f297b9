"""The HTTP application, put together: what every request passes through, the endpoints, and the site."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator

from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi_offline import FastAPIOffline
from starlette.middleware.cors import CORSMiddleware

from errdex import __version__
from errdex.settings import Settings
from errdex.web import problems
from errdex.web.entries import add_entries
from errdex.web.gate import Gate
from errdex.web.health import add_health
from errdex.web.live import Live
from errdex.web.lookups import add_lookups
from errdex.web.origins import AllowedHosts, cross_origin
from errdex.web.requests import RequestScope
from errdex.web.site import SiteFiles


def _worked(app: FastAPI) -> set[str]:
    """First segments of the paths that mean work: all documented endpoints but those that say how the server is."""
    routes = [route for route in app.routes if isinstance(route, APIRoute) and route.include_in_schema]
    return {route.path.split("/")[1] for route in routes if "health" not in route.tags}


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application; the index is loaded when it starts, and again when a new one is there (or on SIGHUP)."""
    chosen = settings or Settings()
    live = Live(chosen)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await asyncio.to_thread(live.reload)
        loop = asyncio.get_running_loop()
        with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
            # Windows has no SIGHUP, and a server in a thread may not set handlers; polling still works there.
            loop.add_signal_handler(signal.SIGHUP, lambda: loop.run_in_executor(None, live.reload))
        watcher = asyncio.create_task(live.watch())
        yield
        watcher.cancel()

    app = FastAPIOffline(
        title="errdex",
        version=__version__,
        summary="Looks up errors of deep-learning training.",
        lifespan=lifespan,
        redirect_slashes=False,  # starlette would redirect to whatever host the request names
    )
    app.state.live = live
    app.state.stopping = False
    problems.install(app)
    add_lookups(app, live)
    add_entries(app, live)
    add_health(app, live)
    # What a request passes, the last added first.
    app.add_middleware(Gate, settings=chosen, worked=_worked(app))
    if chosen.origin_list:
        app.add_middleware(CORSMiddleware, **cross_origin(chosen))
    app.add_middleware(AllowedHosts, hosts=chosen.host_list)
    app.add_middleware(RequestScope)
    if chosen.site.is_dir():
        app.mount("/", SiteFiles(chosen.site, chosen.api_url), name="site")
    return app
