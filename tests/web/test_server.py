import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.faults import oversize, slow, smuggling, stops
from bench.faults.sockets import LOG, exchange, request
from bench.faults.target import start, wait_ready
from errdex.errors import ErrdexError
from errdex.settings import Settings
from errdex.web import server as module
from errdex.web.connection import HEAD_BYTES
from errdex.web.server import inherit, listen
from tests.web.served import Served, served

ASK = request(b"/lookup", b"Content-Type: text/plain", method=b"POST", body=LOG)
KEEP = request(b"/livez", b"Accept: */*")


@pytest.fixture(scope="module")
def bare(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings of a server that is soon impatient, with one large file."""
    site = tmp_path_factory.mktemp("site")
    (site / slow.LARGE).write_bytes(b"x" * (16 << 20))
    changes = {"model": "none", "site": site, "header_seconds": 1.0, "body_seconds": 1.5, "write_seconds": 1.0}
    return settings.model_copy(update=changes)


@pytest.fixture(scope="module")
def running(bare: Settings) -> Iterator[Served]:
    with served(bare) as server:
        yield server


def test_no_ambiguous_request_is_read_in_two_ways(running: Served) -> None:
    found = {case.name: smuggling.fault(running.port, case) for case in smuggling.CASES}
    assert {name: fault for name, fault in found.items() if fault is not None} == {}
    assert len(found) == len(smuggling.CASES) > 100


@pytest.mark.parametrize("kind", oversize.KINDS)
def test_a_body_that_is_too_large_is_refused_and_the_connection_ends(running: Served, kind: str) -> None:
    reply = oversize.refuse(running.port, kind)
    assert (reply.status, reply.ended) == (413, True)
    assert b"urn:errdex:problem:too-large" in reply.body


def test_a_body_that_is_no_larger_than_allowed_is_read_in_chunks_of_any_kind(running: Served, bare: Settings) -> None:
    text = LOG + b"\n" + b"x" * (bare.max_body - len(LOG) - 1)
    head = (
        b"POST /lookup HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    chunks = b"".join(b"20\r\n" + text[at : at + 32] + b"\r\n" for at in range(0, len(text), 32))
    assert exchange(running.port, head + chunks + b"0\r\n\r\n").status == 200


@pytest.mark.parametrize(
    "head",
    [
        b"A: " + b"x" * HEAD_BYTES,
        b"\r\n".join(b"A: " + b"x" * 1000 for _ in range(80)),
        b"\r\n".join(b"A%d: x" % number for number in range(120)),
    ],
    ids=["one header", "many", "too many"],
)
def test_headers_have_a_limit(running: Served, head: bytes) -> None:
    reply = exchange(running.port, request(b"/livez", head))
    assert (reply.status, reply.ended) == (431, True)
    assert b"urn:errdex:problem:headers-too-large" in reply.body


def test_headers_below_the_limit_are_read_in_pieces(running: Served) -> None:
    data = request(b"/livez", b"A: " + b"x" * (HEAD_BYTES - 500), b"Connection: close")
    assert exchange(running.port, iter([data[:100], data[100:40_000], data[40_000:]])).status == 200


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET /livez HTTP/1.1\r\nHost:", 408),
        (b"\r\n", 408),
        (b"POST /lookup HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc", 408),
        (b"POST /lookup HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", 408),
        (KEEP + b"GET /liv", 200),
        (b"", 0),
    ],
    ids=["half a head", "an empty line", "half a body", "no chunk", "half a second request", "nothing"],
)
def test_what_does_not_arrive_in_time_is_given_up(running: Served, data: bytes, status: int) -> None:
    began = time.monotonic()
    reply = exchange(running.port, data)
    assert (reply.status, reply.ended) == (status, True)
    assert 1 <= time.monotonic() - began < 4.5
    assert (b"urn:errdex:problem:request-timeout" in reply.body) == (status == 408 or b"liv" in data[-5:])


@pytest.mark.parametrize("kind", slow.KINDS)
def test_slow_clients_are_cut_off_and_nobody_waits_for_them(running: Served, kind: str) -> None:
    connect, piece = slow.KINDS[kind]
    clients = [connect(running.port) for _ in range(30)]
    end = time.monotonic() + 20
    while running.server.server_state.connections and time.monotonic() < end:
        for client in clients:
            slow.trickle(client, piece)
        assert exchange(running.port, ASK.replace(b"Host", b"Connection: close\r\nHost")).status == 200
        time.sleep(0.1)
    assert not running.server.server_state.connections
    for client in clients:
        client.close()


def test_a_reader_that_takes_its_time_but_reads_is_served_whole(running: Served) -> None:
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        client.connect(("127.0.0.1", running.port))
        client.settimeout(10)
        client.sendall(request(b"/" + slow.LARGE.encode()))
        got = 0
        pauses = [0.4] * 5  # together longer than `write_seconds`
        while part := client.recv(1 << 20):
            got += len(part)
            if got > (1 << 21) and pauses:
                time.sleep(pauses.pop())
    assert got > 16 << 20


def test_requests_sent_ahead_are_answered_in_order_up_to_a_limit(running: Served) -> None:
    some = exchange(running.port, KEEP * 9 + request())
    assert (some.answers, some.ended) == (10, True)
    many = exchange(running.port, KEEP * 200)
    assert many.ended
    assert 10 < many.answers < 30
    torn = exchange(running.port, KEEP * 3 + b"junk\r\n\r\n")
    assert (torn.answers, torn.status, torn.ended) == (3, 200, True)


def test_a_client_that_ends_its_side_still_gets_its_answer(running: Served) -> None:
    with socket.create_connection(("127.0.0.1", running.port), timeout=10) as client:
        client.sendall(ASK)
        client.shutdown(socket.SHUT_WR)
        assert client.recv(65536).startswith(b"HTTP/1.1 200")


def test_a_body_that_nobody_reads_ends_the_connection(running: Served) -> None:
    reply = exchange(running.port, b"POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc")
    assert (reply.status, reply.ended) == (405, True)
    assert b"connection: close" in reply.head


def test_one_client_too_many_is_told_so_and_hung_up_on(bare: Settings) -> None:
    with served(bare.model_copy(update={"connections": 3})) as server:
        clients = [http.client.HTTPConnection("127.0.0.1", server.port, timeout=30) for _ in range(3)]
        assert [_status(client) for client in clients] == [200] * 3
        refused = exchange(server.port, b"")
        assert (refused.status, refused.ended) == (503, True)
        assert b"retry-after: 1" in refused.head
        assert b"urn:errdex:problem:busy" in refused.body
        assert [_status(client) for client in clients] == [200] * 3
        assert server.server.server_state.tallies.problems == {"busy": 1}
        clients.pop().close()
        while len(server.server.server_state.connections) > 2:
            time.sleep(0.01)
        clients.append(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30))
        assert [_status(client) for client in clients] == [200] * 3
        for client in clients:
            client.close()


def _status(client: http.client.HTTPConnection) -> int:
    client.request("GET", "/livez")
    with client.getresponse() as response:
        response.read()
        return response.status


def test_what_a_connection_refuses_is_counted(running: Served) -> None:
    tallies = running.server.server_state.tallies
    before = tallies.problems.get("bad-request", 0)
    assert exchange(running.port, b"no request\r\n\r\n").status == 400
    assert tallies.problems["bad-request"] == before + 1


def test_a_trailer_is_no_header(running: Served) -> None:
    head = (
        b"POST /lookup HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    chunk = b"%x\r\n%b\r\n" % (len(LOG), LOG)
    reply = exchange(running.port, head + chunk + b"0\r\nX-Request-ID: from-a-trailer\r\nAccept: text/plain\r\n\r\n")
    assert reply.status == 200
    assert reply.body.startswith(b"{")
    assert b"from-a-trailer" not in reply.head


def _answer(client: socket.socket) -> bytes:
    """One JSON answer, whole."""
    got = b""
    while not got.endswith(b"}"):
        part = client.recv(65536)
        assert part
        got += part
    return got


def test_what_was_accepted_is_served_after_the_stop(bare: Settings) -> None:
    with served(bare) as server, socket.create_connection(("127.0.0.1", server.port), timeout=10) as kept:
        load = stops.Load(server.port, may_refuse=True)
        load.begin(8)
        kept.sendall(KEEP)
        assert _answer(kept).startswith(b"HTTP/1.1 200")
        late = stops.late_clients(server.port)
        server.stop()
        while not server.server.server_state.stopping:
            time.sleep(0.005)
        kept.sendall(request(b"/readyz", b"Accept: */*"))
        answer = _answer(kept)
        assert stops.ask_late(late) == []
        load.end()
    assert answer.startswith(b"HTTP/1.1 503")
    assert b"connection: close" in answer
    assert b"urn:errdex:problem:stopping" in answer
    assert load.failures == []
    assert load.served > 0
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port), timeout=5)


def test_what_waits_to_be_accepted_when_the_server_stops_is_served(bare: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    late: list[socket.socket] = []
    monkeypatch.setattr(module, "_HANDSHAKE_SECONDS", 0)
    connect = stops.late_clients
    monkeypatch.setattr(module, "_refuse_handshakes", lambda listener: late.extend(connect(listener.getsockname()[1])))
    with served(bare) as server:
        server.stop()
        while not late:
            time.sleep(0.005)
        assert stops.ask_late(late) == []


def test_what_came_but_is_not_read_when_the_grace_ends_is_served(bare: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_GRACE_SECONDS", 0)
    with served(bare) as server, socket.create_connection(("127.0.0.1", server.port), timeout=10) as kept:
        kept.sendall(KEEP)
        _answer(kept)

        def ask(_: socket.socket) -> int:
            kept.sendall(KEEP)
            return 0

        monkeypatch.setattr(module, "_queued", ask)
        server.stop()
        answer = _answer(kept)
    assert answer.startswith(b"HTTP/1.1 200")
    assert b"connection: close" in answer


def test_a_stop_does_not_wait_for_those_who_say_nothing(bare: Settings) -> None:
    with served(bare) as server:
        silent = stops.late_clients(server.port)
        began = time.monotonic()
        server.stop()
        server.thread.join(30)
        assert time.monotonic() - began < 8
        for client in silent:
            assert client.recv(10) == b""
            client.close()


def test_a_queue_that_never_empties_does_not_keep_a_server_from_stopping(bare: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_queued", lambda _: 1)
    with served(bare.model_copy(update={"drain_seconds": 0.2})) as server:
        began = time.monotonic()
        server.stop()
        server.thread.join(30)
        assert time.monotonic() - began < 8


def test_the_limit_on_open_files_is_raised_to_what_connections_need() -> None:
    pytest.importorskip("resource")
    code = (
        "from resource import *; from errdex.web.server import _allow_descriptors as allow;"
        "setrlimit(RLIMIT_NOFILE, (64, 200));"
        "[print(allow(count) or getrlimit(RLIMIT_NOFILE)) for count in (60, 128, 100, 900)]"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:-1] == ["(64, 200)", "(128, 200)", "(128, 200)", "(200, 200)"]


def test_a_listening_socket_is_handed_over_without_a_loss(bare: Settings) -> None:
    given = {"index": str(bare.index), "model": "none", "site": "none"}
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listener:
        port = listener.getsockname()[1]
        old = start(port, given, listener)
        wait_ready(port, old)
        load = stops.Load(port, may_refuse=False)
        load.begin(4)
        new = start(port, given, listener)
        assert new.started.wait(60)
        wrong, _ = stops.stop(old, port)
        load.end()
        new.kill()
        new.wait()
    assert load.failures + wrong == []
    assert load.served > 0


def test_a_process_takes_over_a_socket_and_heeds_sigterm(bare: Settings) -> None:
    given = {"index": str(bare.index), "model": "none", "site": "none"}
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        process = start(port, given, listener)
        wait_ready(port, process)
        wrong, seconds = stops.stop(process, port)
    assert wrong == []
    assert process.returncode == -signal.SIGTERM
    assert seconds < 10


def test_a_port_in_use_and_a_descriptor_that_does_not_listen_are_said(tmp_path: Path) -> None:
    with listen("127.0.0.1", 0) as taken:
        with pytest.raises(ErrdexError, match="cannot listen on"):
            listen("127.0.0.1", taken.getsockname()[1])
        with inherit(os.dup(taken.fileno())) as same:
            assert same.getsockname() == taken.getsockname()
    with (tmp_path / "file").open("wb") as file, pytest.raises(ErrdexError, match="no socket"):
        inherit(file.fileno())
