import json
import socket
import sys
import threading
from collections.abc import Iterator

import pytest

from bench.speed.bodies import lookup_body
from bench.speed.client import BadAnswerError, Client, post
from bench.speed.servers import ServerError, System, running, script


@pytest.fixture(scope="module")
def echo() -> Iterator[int]:
    with running(System("echo", script("echo"))) as server:
        assert server.start_seconds > 0
        resident, peak = server.memory()
        assert 10 < resident <= peak
        yield server.port


@pytest.mark.parametrize("clients", [1, 5])
def test_every_request_has_its_answer(echo: int, clients: int) -> None:
    wanted = [f"text {number} " + "é" * 200_000 * (number % 2) for number in range(12)]
    seen: list[str] = []

    def check(answer: bytes) -> bool:
        seen.append(json.loads(answer)["traceback"])
        return len(answer) > 1000

    with Client(echo, clients) as client:
        load = client.closed_loop([post("/echo", lookup_body(text)) for text in wanted], check)
    assert sorted(seen) == sorted(wanted)
    assert len(load.took) == 12
    assert load.odd == 6
    assert load.rate == pytest.approx(12 / load.seconds)


def test_an_even_rate_is_kept_and_waiting_counts(echo: int) -> None:
    with Client(echo, 3) as client:
        load = client.open_loop([post("/echo", lookup_body("x"))] * 20, rate=100)
    assert len(load.took) == 20
    assert load.seconds >= 0.19, "the last is due after 190 ms"
    with Client(echo, 1) as client:
        hurried = client.open_loop([post("/echo", lookup_body("x"))] * 20, rate=1e9)
    assert sorted(hurried.took) == hurried.took, "all were due at once, so each waits for those before it"


def test_another_status_is_an_error(echo: int) -> None:
    with Client(echo, 1) as client, pytest.raises(BadAnswerError, match="404"):
        client.closed_loop([post("/nothing", b"{}")])


def test_a_connection_that_was_closed_while_it_idled_is_replaced() -> None:
    answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            asking, idle = listener.accept()[0], listener.accept()[0]
            idle.close()
            replacement = listener.accept()[0]
            asking.recv(1000)
            asking.sendall(answer)
            asking.close()
            replacement.close()

        server = threading.Thread(target=serve)
        server.start()
        with Client(listener.getsockname()[1], 2) as client:
            load = client.closed_loop([post("/", b"")])
        server.join()
    assert len(load.took) == 1


def test_a_server_that_stops_is_named() -> None:
    with pytest.raises(ServerError, match="broken did not become ready"), running(System("broken", [sys.executable, "-c", ""])):
        pass
