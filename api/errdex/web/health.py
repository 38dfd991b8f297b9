"""`/livez` and `/readyz`."""

from fastapi import FastAPI
from fastapi.responses import JSONResponse

from errdex import __version__
from errdex.errors import StoppingError
from errdex.web import problems
from errdex.web.live import Live


def add_health(app: FastAPI, live: Live) -> None:
    """Register the endpoints; on the event loop, since threads may all be busy."""

    @app.get("/livez", tags=["health"])
    async def livez() -> dict[str, str]:
        """The process answers."""
        return {"status": "ok", "version": __version__}

    @app.get("/readyz", responses=problems.RESPONSES, tags=["health"])
    async def readyz() -> JSONResponse:
        """The index and the model are loaded, and the server is not about to stop."""
        if app.state.stopping:
            raise StoppingError("It serves what it has accepted; ask another server.")
        manifest = live.lookup.index.manifest
        serving = {"status": "ok", "index": f"sha256:{manifest.content}", "entries": manifest.entries}
        return JSONResponse(serving | ({"refused": live.refused} if live.refused else {}))
