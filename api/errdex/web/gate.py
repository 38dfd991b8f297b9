"""The gate before the endpoints: how large a body may be, how many requests are at work, and what is refused unread."""

from collections.abc import Collection

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from errdex.errors import BusyError, TooLargeError, UnsupportedMediaTypeError
from errdex.settings import Settings
from errdex.web.problems import send_problem

_SMALL = 64 * 1024  # a body of this size always finds room
_LARGE_BODIES = 8  # how many of the largest size may be arriving or at work at once
_BODIED = ("POST", "PUT", "PATCH")
_UNREAD = {"Connection": "close"}


def first_segment(path: str) -> str:
    r"""What decides over a path, read as the router reads it: `$` in its patterns takes `/lookup\n` for `/lookup`."""
    return path[1:].partition("/")[0].rstrip("\n")


class Gate:
    """Reads each body, whole and bounded, before the request takes one of the places at work: slow senders hold none.

    Args:
        app: what comes after the gate.
        settings: `max_body` and `concurrency`.
        worked: first segments of the paths that mean work; others (health, files) are never refused for want of a place.
    """

    def __init__(self, app: ASGIApp, settings: Settings, worked: Collection[str]) -> None:
        self._app = app
        self._limit = settings.max_body
        self._places = settings.concurrency
        self._room = _LARGE_BODIES * settings.max_body
        self._worked = frozenset(worked)
        self._at_work = 0
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = encoding = transfer = b""
        for name, value in scope["headers"]:
            if name == b"content-length":
                announced = value
            elif name == b"transfer-encoding":
                transfer = value
            elif name == b"content-encoding":
                encoding = value
        # HTTP/2 needs neither header: what may have a body is read as if it had one.
        has_body = transfer != b"" or announced not in (b"", b"0") or scope["method"] in _BODIED
        if has_body:
            if encoding.strip().lower() not in (b"", b"identity") or transfer.strip().lower() not in (b"", b"chunked"):
                compressed = UnsupportedMediaTypeError("Send the body uncompressed.", field="Content-Encoding")
                await send_problem(scope, send, compressed, _UNREAD)
                return
            if announced.isdigit() and int(announced[:20]) > self._limit:
                await send_problem(scope, send, self._too_large(), _UNREAD)
                return
        if first_segment(scope["path"]) not in self._worked:
            await self._app(scope, receive, _closing(send) if has_body else send)
        elif has_body:
            await self._with_body(scope, receive, send)
        else:
            await self._work(scope, receive, send)

    async def _with_body(self, scope: Scope, receive: Receive, send: Send) -> None:
        parts: list[bytes] = []
        size = 0
        try:
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return  # the client has gone, or was too slow and has its answer
                part: bytes = message.get("body", b"")
                parts.append(part)
                size += len(part)
                self._held += len(part)
                more: bool = message.get("more_body", False)
                if size > self._limit:
                    await send_problem(scope, send, self._too_large(), _UNREAD)
                    return
                if size > _SMALL and self._held > self._room:
                    crowded = BusyError("Many large bodies are arriving at once. Ask again, or send a shorter part of the log.")
                    await send_problem(scope, send, crowded, _UNREAD if more else None)
                    return
                if not more:
                    break
            pending: list[Message] = [{"type": "http.request", "body": b"".join(parts), "more_body": False}]
            parts.clear()

            async def whole() -> Message:
                return pending.pop() if pending else await receive()

            await self._work(scope, whole, send)
        finally:
            self._held -= size

    async def _work(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._at_work >= self._places:
            await send_problem(scope, send, BusyError("As many requests are at work as this server takes. Ask again."))
            return
        self._at_work += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._at_work -= 1

    def _too_large(self) -> TooLargeError:
        limit = self._limit
        return TooLargeError(
            f"The limit is {limit} bytes. Send the end of the log, from the first traceback on: `tail -c {limit} train.log`.",
        )


def _closing(send: Send) -> Send:
    """For a body that nobody reads: the client is told that the connection ends."""

    async def send_and_close(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], (b"connection", b"close")]
        await send(message)

    return send_and_close
