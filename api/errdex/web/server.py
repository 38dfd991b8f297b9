"""How errdex runs uvicorn: its own connections, and an end that loses nothing that was accepted."""

import asyncio
import contextlib
import ctypes
import logging
import socket
import struct
import sys
from collections.abc import Sequence

import uvicorn
from fastapi import FastAPI

from errdex.errors import ErrdexError
from errdex.settings import Settings
from errdex.web.connection import TICK_SECONDS, Connection, State

log = logging.getLogger("errdex")
_BACKLOG = 2048
_M_ARENA_MAX = -8  # from malloc.h
_UNSENT_BYTES = 128 * 1024
_SWITCH_SECONDS = 0.0002
_HANDSHAKE_SECONDS = 0.1
_OTHER_DESCRIPTORS = 256  # files of the site, the store, libraries
_GRACE_SECONDS = 1.0  # for clients that are connected and have not asked yet
# Linux: a socket filter of four instructions (load the TCP flags; is SYN among them? drop : keep), see `man 7 socket`.
_SO_ATTACH_FILTER = 26
_DROP_SYN = ((0x30, 0, 0, 13), (0x45, 0, 1, 0x02), (0x06, 0, 0, 0), (0x06, 0, 0, 0xFFFFFFFF))


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens.

    Raises:
        ErrdexError: nothing can listen there.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return _lean(socket.create_server((host, port), family=family, backlog=_BACKLOG))
    except OSError as error:
        raise ErrdexError(f"The server cannot listen on {host}:{port}: {error.strerror or error}.") from None


def inherit(descriptor: int) -> socket.socket:
    """A listening socket that the caller has opened, such as systemd or a server that is being replaced.

    Raises:
        ErrdexError: there is none under this number.
    """
    try:
        found = socket.socket(fileno=descriptor)
        listens = found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    except OSError:
        listens = 0
    if not listens:
        raise ErrdexError(f"File descriptor {descriptor} is no socket that listens.")
    return _lean(found)


def _lean(listener: socket.socket) -> socket.socket:
    """Let the system buffer little for a client that does not read; else it takes megabytes of a large file for each."""
    if hasattr(socket, "TCP_NOTSENT_LOWAT") and listener.family in (socket.AF_INET, socket.AF_INET6):
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT_BYTES)
    return listener


def _refuse_handshakes(listener: socket.socket) -> None:
    """Let no new connection begin, so that closing the socket resets none; where that is not possible, one may be."""
    if sys.platform != "linux":
        return
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in _DROP_SYN))
    with contextlib.suppress(OSError):
        listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("HL", len(_DROP_SYN), ctypes.addressof(program)))


def _queued(listener: socket.socket) -> int:
    """Connections that wait to be accepted, as far as the system tells."""
    if sys.platform != "linux":
        return 0
    # `tcpi_unacked` of a socket that listens
    return int.from_bytes(listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 28)[24:], sys.byteorder)


class Server(uvicorn.Server):
    """A server on sockets that already listen.

    Args:
        app: the application; `app.state.stopping` tells its `/readyz` that the server is about to stop, `app.state.tallies`
            counts.
        settings: deadlines and bounds.
        shared: whether another process may listen on the same sockets: then they go on taking connections.
    """

    def __init__(self, app: FastAPI, settings: Settings, *, shared: bool = False) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=Connection,
                log_config=None,  # the journal writes, if somebody started it
                forwarded_allow_ips=settings.proxies,
                ws="none",
                lifespan="on",
                access_log=False,  # its lines hold queries
                server_header=False,
                backlog=_BACKLOG,
                timeout_graceful_shutdown=max(1, round(settings.drain_seconds)),
            )
        )
        self.server_state: State = State(settings, app.state.tallies)
        self._app = app
        self._shared = shared
        self._drain_seconds = settings.drain_seconds

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Load the index, take connections, watch their deadlines."""
        await super().startup(sockets)
        self._sweeper = asyncio.create_task(self._sweep())

    async def _sweep(self) -> None:
        loop, state = asyncio.get_running_loop(), self.server_state
        last = loop.time()
        while True:
            await asyncio.sleep(TICK_SECONDS)
            last, passed = (now := loop.time()), now - last
            state.clock += min(passed, 2 * TICK_SECONDS)
            for connection in tuple(state.connections):
                if isinstance(connection, Connection):
                    connection.expire(state.clock)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop: not ready, nothing new, serve what was accepted."""
        self._app.state.stopping = True
        self.server_state.stopping = True
        if not self._shared:
            for listener in sockets or ():
                _refuse_handshakes(listener)
            await asyncio.sleep(_HANDSHAKE_SECONDS)  # handshakes under way end
            last = asyncio.get_running_loop().time() + self._drain_seconds
            while any(map(_queued, sockets or ())) and not self.force_exit and asyncio.get_running_loop().time() < last:
                await asyncio.sleep(0.01)  # a busy loop accepts late; what is in the queue when it closes is reset
        for server in self.servers:
            server.close()
        end = asyncio.get_running_loop().time() + min(_GRACE_SECONDS, self._drain_seconds)
        while self.server_state.connections and not self.force_exit and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.02)
        await super().shutdown(sockets)
        self._sweeper.cancel()


def _allow_descriptors(count: int) -> None:
    """Raise this process's own limit on open files, as far as the system lets it: of 1024, connections would take all."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < count:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (count if hard == resource.RLIM_INFINITY else min(count, hard), hard))


def run(app: FastAPI, settings: Settings, listeners: Sequence[socket.socket], *, shared: bool = False) -> None:
    """Serve until told to stop.

    Args:
        app: the application.
        settings: deadlines and bounds.
        listeners: sockets that listen; they are closed at the end.
        shared: whether another process may listen on them, too.
    """
    with contextlib.suppress(OSError, AttributeError):  # another system, or another C library
        # Each thread that allocates would keep a part of the memory to itself.
        ctypes.CDLL("libc.so.6").mallopt(_M_ARENA_MAX, 1)
    _allow_descriptors(settings.connections + _OTHER_DESCRIPTORS)
    # uvloop asks for the interpreter at every event; with the usual 5 ms, two busy threads leave it 40 events a second.
    sys.setswitchinterval(_SWITCH_SECONDS)
    Server(app, settings, shared=shared).run(list(listeners))
