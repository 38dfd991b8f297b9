"""Commands for those who run a server: `serve`."""

from typing import Annotated

import typer

from errdex.cli.built import fitting_index
from errdex.cli.terminal import errors_console
from errdex.settings import Settings


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
) -> None:
    """Build what is missing and serve the API, and the site when it has been built."""
    import uvicorn

    from errdex.web.app import create_app

    settings = Settings()
    fitting_index(settings)
    example = "ValueError: Attempting to unscale FP16 gradients."
    console = errors_console()
    console.print(f"\nerrdex is on http://{host}:{port}  (API: http://{host}:{port}/docs). Try:\n")
    console.print(
        f"  curl -s http://{host}:{port}/lookup -H 'Accept: text/plain' --data-binary '{example}'\n",
        highlight=False,
        soft_wrap=True,
    )
    uvicorn.run(
        create_app(settings),
        host=host,
        port=port,
        log_level="info",
        server_header=False,
        forwarded_allow_ips=settings.proxies,
    )
