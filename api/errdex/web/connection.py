"""One HTTP connection: uvicorn's protocol, with deadlines for what a client sends and reads, and bounds on its headers."""

import asyncio
import math
import sys
import uuid
from enum import Enum
from typing import Any, Literal, cast

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from uvicorn import Config
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from errdex.errors import BadRequestError, BusyError, ErrdexError, HeadersTooLargeError, RequestTimeoutError, TooLargeError
from errdex.settings import Settings
from errdex.web.problems import MEDIA_TYPE, encoded
from errdex.web.tallies import Tallies

if sys.platform == "linux":
    import fcntl
    import termios

HEAD_BYTES = 64 * 1024
TICK_SECONDS = 0.25  # between two looks at all deadlines
_HEADERS = 100
_PIPELINED = 16
_FRAMING = 2  # what comes may be twice the body; more is chunk extensions, trailers, or chunks of next to nothing
_LINGER_SECONDS = 2.0  # a client that still sends when it is refused would lose the answer to a reset
_PROGRESS = 64 * 1024


class State(ServerState):
    """What all connections of one server share.

    Attributes:
        settings: deadlines and bounds.
        tallies: counts what is refused before there is a request.
        stopping: whether the server was told to stop.
        clock: seconds for deadlines. They stand still while the server is too busy to read: that is not the clients' fault.
    """

    def __init__(self, settings: Settings, tallies: Tallies) -> None:
        super().__init__()
        self.settings = settings
        self.tallies = tallies
        self.stopping = False
        self.clock = 0.0

    def deadline(self, seconds: float) -> float:
        """When so many seconds have passed, never earlier: the clock is moved on a few times a second only."""
        return self.clock + seconds + TICK_SECONDS


class _Part(Enum):
    """Which part of a request is expected next."""

    NOTHING = 0  # between two requests
    HEAD = 1
    BODY = 2
    IGNORED = 3  # nothing is read any more


class _Transport:
    """The transport as uvicorn's protocol sees it: to close it ends the connection without losing the answer."""

    def __init__(self, transport: asyncio.Transport, connection: "Connection") -> None:
        self.write = transport.write
        self.pause_reading = transport.pause_reading
        self.resume_reading = transport.resume_reading
        self.get_extra_info = transport.get_extra_info
        self._closing = transport.is_closing
        self._connection = connection
        self.ended = False

    def is_closing(self) -> bool:
        return self.ended or self._closing()

    def close(self) -> None:
        if not self.is_closing():
            self.ended = True
            self._connection.end()


class Connection(HttpToolsProtocol):
    """One connection; `expire` is called for each a few times a second, which is cheaper than timers of their own."""

    def __init__(
        self,
        config: Config,
        server_state: State,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.access_log = False  # its lines hold queries
        self._shared = server_state
        self._settings = server_state.settings
        self._part = _Part.NOTHING
        self._head = 0
        self._taken = 0
        self._most = HEAD_BYTES + _FRAMING * server_state.settings.max_body
        self._read_by = math.inf
        self._write_by = math.inf
        self._unread: int | None = None
        self._answering: RequestResponseCycle | None = None
        self._fault: ErrdexError | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn narrows it, too
        """Start the clock: a connection that says nothing is not kept, and one too many not at all."""
        self._raw = transport
        super().connection_made(cast(asyncio.Transport, _Transport(transport, self)))
        self._read_by = self._shared.deadline(self._settings.header_seconds)
        if len(self._shared.connections) > self._settings.connections:
            self._answer(BusyError("As many clients are connected as this server takes. Ask again."), uuid.uuid4().hex)

    def data_received(self, data: bytes) -> None:
        """Take some bytes, never more of a head than allowed."""
        if self._part is _Part.IGNORED:
            return
        if self._part is _Part.NOTHING:
            self._begin()
        elif self._part is _Part.BODY:
            self._taken += len(data)
            if self._taken > self._most:
                limit = self._settings.max_body
                self._refuse(TooLargeError(f"The limit is {limit} bytes; send them in larger chunks and without trailers."))
                return
        if self._part is _Part.HEAD:
            room = HEAD_BYTES - self._head
            self._head += min(room, len(data))
            if len(data) > room:
                self._parse(data[:room])
                if self._part is _Part.HEAD and self._head >= HEAD_BYTES:
                    self._refuse(HeadersTooLargeError(f"The limit is {HEAD_BYTES} bytes."))
                else:
                    self.data_received(data[room:])
                return
        self._parse(data)

    def _parse(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(data)
        except HttpParserError:
            self._refuse(self._fault or BadRequestError("This is not a well-formed HTTP request."))
        except HttpParserUpgrade as upgrade:
            self._decline(data[upgrade.args[0] :])

    def _decline(self, rest: bytes) -> None:
        """Read a request that offers another protocol as if it did not: the parser would take its body for that protocol."""
        if self.parser.get_method() == b"CONNECT":
            self._refuse(BadRequestError("This server is no proxy."))
            return
        kept = [pair for pair in self.headers if pair[0] not in (b"upgrade", b"http2-settings", b"connection")]
        if any(name == b"connection" and b"close" in value.lower() for name, value in self.headers):
            kept.append((b"connection", b"close"))
        line = b"%b %b HTTP/%b\r\n" % (self.parser.get_method(), self.url, self.parser.get_http_version().encode())
        self.parser = HttpRequestParser(self)
        self._parse(line + b"".join(b"%b: %b\r\n" % pair for pair in kept) + b"\r\n" + rest)

    def _begin(self) -> None:
        self._part = _Part.HEAD
        self._head = 0
        if self._read_by == math.inf:
            self._read_by = self._shared.deadline(self._settings.header_seconds)

    def on_message_begin(self) -> None:
        """A request begins, perhaps in the same bytes in which the one before ended."""
        if len(self.pipeline) >= _PIPELINED:
            self._fault = BadRequestError("Wait for the answers before sending more requests.")
            raise self._fault
        if self._part is _Part.NOTHING:
            self._begin()
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header; one after the body (a trailer) must not pass for one that stood before it."""
        if self._part is _Part.HEAD:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is whole."""
        if len(self.headers) > _HEADERS:
            self._fault = HeadersTooLargeError(f"The limit is {_HEADERS} headers.")
            raise self._fault
        version = self.parser.get_http_version()
        if version not in ("1.0", "1.1") or (version == "1.0" and any(name == b"transfer-encoding" for name, _ in self.headers)):
            self._fault = BadRequestError("Send HTTP/1.1; HTTP/1.0 has no chunks.")
            raise self._fault
        if self.parser.should_upgrade():
            return
        super().on_headers_complete()
        self._part = _Part.BODY
        self._taken = 0
        self._read_by = self._shared.deadline(self._settings.body_seconds)
        if self._shared.stopping:
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        """The request is whole; while it is at work, the client need not send anything."""
        if self.parser.should_upgrade():
            return
        super().on_message_complete()
        self._part = _Part.NOTHING
        self._read_by = math.inf

    def on_response_complete(self) -> None:
        """An answer is written; a request that was answered before it was whole is not read to its end."""
        self._write_by = self._shared.deadline(self._settings.write_seconds)
        self._unread = None
        super().on_response_complete()
        if self._part is _Part.BODY and self.cycle.response_complete:
            self.transport.close()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    def pause_writing(self) -> None:
        """The client reads slower than the answer is written."""
        super().pause_writing()
        self._write_by = self._shared.deadline(self._settings.write_seconds)
        self._unread = self._waiting()

    def resume_writing(self) -> None:
        """The client has caught up."""
        super().resume_writing()
        self._write_by = math.inf

    def eof_received(self) -> bool | None:  # type: ignore[override]  # uvicorn's always closes, and drops the answer
        """The client sends no more; what it has asked is still answered."""
        cycle = self.cycle
        if self._part is _Part.NOTHING and cycle is not None and not cycle.response_complete:
            cycle.keep_alive = False
            return True
        return None

    def shutdown(self) -> None:
        """The server stops: close when nothing is under way, else after the answer."""
        if self._part is _Part.NOTHING and (self.cycle is None or self.cycle.response_complete):
            if self._in_system("FIONREAD") == 0:  # else a request has come that is not read yet
                self.transport.close()
        elif self.cycle is not None:
            self.cycle.keep_alive = False

    def expire(self, now: float) -> None:
        """Cut off a client that is too slow.

        Args:
            now: time of the shared clock.
        """
        if now >= self._write_by:
            before, self._unread = self._unread, self._waiting()
            if self._raw.get_write_buffer_size() == 0:
                self._write_by = math.inf
            elif before is None:
                self._write_by = now + self._settings.write_seconds / 4
            elif before - self._unread >= _PROGRESS:
                self._write_by = now + self._settings.write_seconds
            else:
                self._raw.abort()
        if now >= self._read_by:
            if self._part is _Part.IGNORED:
                self._raw.abort()
            elif self.flow.read_paused:  # it is the server that does not read
                self._read_by = now + self._settings.body_seconds
            elif self._part is _Part.NOTHING:
                self.transport.close()
            else:
                in_body = self._part is _Part.BODY
                limit = self._settings.body_seconds if in_body else self._settings.header_seconds
                part = "body" if in_body else "head"
                self._refuse(RequestTimeoutError(f"The {part} of a request has to arrive within {limit:g} seconds."))

    def _waiting(self) -> int:
        """Bytes that the client has not taken yet."""
        return self._raw.get_write_buffer_size() + self._in_system("TIOCOUTQ")

    def _in_system(self, queue: Literal["FIONREAD", "TIOCOUTQ"]) -> int:
        """Bytes that came and are not read, or were written and not taken, as far as the system tells."""
        if sys.platform != "linux" or self._raw.is_closing():
            return 0
        count = fcntl.ioctl(self._raw.get_extra_info("socket").fileno(), getattr(termios, queue), bytes(4))
        return int.from_bytes(count, sys.byteorder)

    def _refuse(self, error: ErrdexError) -> None:
        """Read nothing more: what came whole is answered, then the connection ends."""
        cycle, torn = self.cycle, self._part is _Part.BODY
        self._part = _Part.IGNORED
        self._read_by = math.inf
        if torn and self.pipeline and self.pipeline[0][0] is cycle:
            self.pipeline.popleft()
            cycle = self.pipeline[0][0] if self.pipeline else cast(RequestResponseCycle, self._answering)
            torn = False
        if torn and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
            self.flow.resume_writing()
            if cycle.response_started:
                self.transport.close()
                return
        elif cycle is not None and not cycle.response_complete:
            cycle.keep_alive = False
            return
        if not self.transport.is_closing():
            given = cycle.scope["state"].get("request_id") if torn else None
            self._answer(error, given or uuid.uuid4().hex)

    def _answer(self, error: ErrdexError, request_id: str) -> None:
        self._shared.tallies.refused(error.kind())
        body = encoded(error, request_id)
        headers = [
            *self.server_state.default_headers,
            (b"content-type", MEDIA_TYPE.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"x-request-id", request_id.encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"connection", b"close"),
        ]
        if error.retry_after is not None:
            headers.append((b"retry-after", str(error.retry_after).encode()))
        head = b"".join(b"%b: %b\r\n" % pair for pair in headers)
        self.transport.write(STATUS_LINE[error.status] + head + b"\r\n" + body)
        if isinstance(error, RequestTimeoutError):
            self._raw.close()  # it has had its time
        else:
            self.transport.close()

    def end(self) -> None:
        """Close the connection; while bytes may still come, wait for them, or the answer is lost to a reset."""
        self._unset_keepalive_if_required()
        if self._part is _Part.NOTHING and not self.flow.read_paused and not self.pipeline:
            self._raw.close()
            return
        self._part = _Part.IGNORED
        self._read_by = self._shared.deadline(_LINGER_SECONDS)
        self.flow.resume_reading()
        self._raw.write_eof()
