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
from errdex.recorder import Recorder
from errdex.settings import Settings
from errdex.web import problems
from errdex.web.access import Access, document_access
from errdex.web.answering import Answering
from errdex.web.entries import add_entries
from errdex.web.exposition import Sources
from errdex.web.feedback import add_feedback
from errdex.web.gate import Gate, first_segment
from errdex.web.health import add_health
from errdex.web.keyfile import KeyFile
from errdex.web.live import Live, trim
from errdex.web.lookups import add_lookups
from errdex.web.origins import AllowedHosts, cross_origin
from errdex.web.polling import poll
from errdex.web.rates import Rates
from errdex.web.requests import Net, RequestScope
from errdex.web.site import SiteFiles
from errdex.web.telemetry import Telemetry, Watch, add_metrics

_POLL_SECONDS = 2.0


def worked_paths(app: FastAPI) -> set[str]:
    """First segments of the paths that mean work: all documented endpoints but those that say how the server is."""
    routes = [route for route in app.routes if isinstance(route, APIRoute) and route.include_in_schema]
    return {first_segment(route.path) for route in routes if "health" not in route.tags}


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application; the index is loaded when it starts, and again when a new one is there (or on SIGHUP)."""
    chosen = settings or Settings()
    live, recorder = Live(chosen), Recorder(chosen)
    answering = Answering(chosen.answer_seconds, recorder)
    watch = Watch()
    keys, rates = KeyFile(chosen.keys), Rates(chosen.rate, chosen.rate_store)

    def recheck() -> None:
        keys.reload()
        live.recheck()

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await asyncio.gather(asyncio.to_thread(live.reload), asyncio.to_thread(keys.reload), asyncio.to_thread(watch.open))
        loop = asyncio.get_running_loop()
        with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
            # Windows has no SIGHUP, and a server in a thread may not set handlers; polling still works there.
            loop.add_signal_handler(signal.SIGHUP, lambda: loop.run_in_executor(None, recheck))
        polling = asyncio.create_task(poll(_POLL_SECONDS, live.reload, keys.reload, trim))
        recorder.start()
        yield
        polling.cancel()
        answering.close()
        await rates.close()
        await asyncio.gather(asyncio.to_thread(watch.close), asyncio.to_thread(recorder.close))

    app = FastAPIOffline(
        title="errdex",
        version=__version__,
        summary="Looks up errors of deep-learning training.",
        lifespan=lifespan,
        redirect_slashes=False,  # starlette would redirect to whatever host the request names
        # FastAPI's own costs 0.1 ms a request, and its spans hold addresses with their queries.
        telemetry={"metrics": False, "tracing": False, "logs": False},
    )
    app.state.live = live
    app.state.recorder = recorder
    app.state.stopping = False
    app.state.tallies = watch.tallies
    problems.install(app)
    add_lookups(app, live, answering, watch.tallies)
    add_entries(app, live, answering)
    add_feedback(app, live, recorder)
    add_health(app, live)
    if chosen.metrics:
        add_metrics(app, Sources(watch.tallies, live, recorder))
    document_access(app, is_open=chosen.open)
    # What a request passes, the last added first. The gate reads even a body that access refuses: unread, it would end the
    # connection, and clients that send head and body apart would not see why.
    app.add_middleware(Access, keys=keys, rates=rates, is_open=chosen.open)
    app.add_middleware(Gate, settings=chosen, worked=worked_paths(app))
    app.add_middleware(Net)  # inside CORS: a page of another origin may read what it says
    if chosen.origin_list:
        app.add_middleware(CORSMiddleware, **cross_origin(chosen))
    app.add_middleware(AllowedHosts, hosts=chosen.host_list)
    app.add_middleware(Telemetry, watch=watch)
    app.add_middleware(RequestScope)
    if chosen.site.is_dir():
        # Not mounted: a mount at `/` would also take what the endpoints refuse, such as `GET /lookup`.
        app.router.default = SiteFiles(chosen.site, chosen.api_url)
    return app
