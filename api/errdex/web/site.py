"""The built site as the server mounts it: files, and the policy under which browsers run them."""

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

# Styles may stand inside a page, as the theme writes them; scripts may not, so text that becomes markup cannot run.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self'",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)


class SiteFiles(StaticFiles):
    """Static files, each sent with the policy; the API's own pages have scripts inside and go without."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """One file, or the page that says there is none."""
        response = await super().get_response(path, scope)
        MutableHeaders(raw=response.raw_headers)["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
        return response
