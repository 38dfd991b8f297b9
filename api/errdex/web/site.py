"""The built site as the server sends it: files, and the policy under which browsers run them."""

from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

# Styles may stand inside a page, as the theme writes them; scripts may not, so text that becomes markup cannot run.
_POLICY = {
    "default-src": "'self'",
    "script-src": "'self'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "worker-src": "'self'",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}


def content_security_policy(api_url: str = "") -> str:
    """The policy of the site's pages.

    Args:
        api_url: a server at another origin that the pages may ask.
    """
    rules = _POLICY | ({"connect-src": f"'self' {api_url}"} if api_url else {})
    return "; ".join(f"{name} {value}" for name, value in rules.items())


class SiteFiles(StaticFiles):
    """Static files, each sent with the policy; the API's own pages have scripts inside and go without."""

    def __init__(self, directory: Path, api_url: str = "") -> None:
        super().__init__(directory=directory, html=True)
        self._policy = content_security_policy(api_url)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """One file, or the page that says there is none."""
        scope["endpoint"] = self  # what serves, for whoever counts
        response = await super().get_response(path, scope)
        headers = MutableHeaders(raw=response.raw_headers)
        headers["Content-Security-Policy"] = self._policy
        if "location" in headers:  # of a folder without its slash, at whatever host the request names
            headers["location"] = "/" + urlsplit(headers["location"])._replace(scheme="", netloc="").geturl().lstrip("/")
        return response
