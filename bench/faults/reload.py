"""Swaps the index of a running server again and again while it is asked: nothing fails, no answer mixes two indexes.

python -m bench.faults.reload --swaps 200
"""

import argparse
import gc
import http.client
import json
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import uvicorn

from bench.faults.samples import LOG, edition, title
from errdex.encoder import Encoder, load_encoder
from errdex.index import Index, save_index
from errdex.settings import Settings
from errdex.web.app import create_app
from errdex.web.live import Live

_QUESTIONS = (LOG, "why does my loss become nan with fp16?")
_DAMAGED_EVERY = 5  # every so many swaps a damaged index comes in between


def _memory() -> int:
    """Memory that this process holds now, in KiB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4


class Server:
    """The real application on a port of this machine, in a thread."""

    def __init__(self, root: Path) -> None:
        settings = Settings(index=root, site=root / "no-site", model="none")
        app = create_app(settings)
        self.live: Live = app.state.live
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]})

    def __enter__(self) -> "Server":
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)
        return self

    def __exit__(self, *raised: object) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()


class Client(threading.Thread):
    """Asks over one connection until it is stopped, and judges each answer."""

    def __init__(self, port: int, titles: dict[str, str], stop: threading.Event) -> None:
        super().__init__()
        self.outcomes: Counter[str] = Counter()
        self.milliseconds: list[float] = []
        self._port, self._titles, self._stopped = port, titles, stop

    def run(self) -> None:
        """Ask."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        number = 0
        while not self._stopped.is_set():
            number += 1
            start = time.perf_counter()
            try:
                body = json.dumps({"traceback": _QUESTIONS[number % 2], "lang": "en", "limit": 10})
                connection.request("POST", "/lookup", body, {"Content-Type": "application/json"})
                answer = connection.getresponse()
                read = json.loads(answer.read())
            except (OSError, http.client.HTTPException, ValueError) as error:
                self.outcomes[f"failed: {type(error).__name__}"] += 1
                connection.close()
                continue
            self.milliseconds.append((time.perf_counter() - start) * 1e3)
            self.outcomes[self._judged(answer.status, read)] += 1
        connection.close()

    def _judged(self, status: int, answer: dict[str, Any]) -> str:
        if status != 200:
            return f"failed: {status}"
        shown = [result["title"] for result in answer["results"] if result["title"].startswith("Edition")]
        return "right" if shown in ([self._titles[answer["index"]]], []) else "mixed"


def _publish_damaged(index: Index, root: Path) -> None:
    """Save an index and damage it before the server looks."""
    path = save_index(index, root) / "vectors.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def under_load(root: Path, editions: tuple[Index, Index], swaps: int, clients: int = 2) -> dict[str, Any]:
    """Swap two indexes while clients ask; the two ways to reload call at the same time."""
    titles = {f"sha256:{index.manifest.content}": title(number) for number, index in enumerate(editions)}
    save_index(editions[0], root)
    stop = threading.Event()
    taken = once = refused = kept = 0
    with Server(root) as server, ThreadPoolExecutor(3) as pool:
        asking = [Client(server.port, titles, stop) for _ in range(clients)]
        for client in asking:
            client.start()
        for number in range(1, swaps + 1):
            if number % _DAMAGED_EVERY == 0:
                before = server.live.lookup
                _publish_damaged(editions[number % 2], root)
                server.live.reload()
                refused += server.live.refused is not None
                kept += server.live.lookup is before
            save_index(editions[number % 2], root)
            done = [pool.submit(server.live.reload), pool.submit(server.live.recheck), pool.submit(server.live.reload)]
            once += sum(future.result() for future in done) <= 1  # the server's own watch may have been before all three
            taken += server.live.lookup.index.manifest.content == editions[number % 2].manifest.content
        stop.set()
        for client in asking:
            client.join()
    outcomes = sum((client.outcomes for client in asking), Counter[str]())
    milliseconds = sorted(time for client in asking for time in client.milliseconds)
    return {
        "swaps": swaps,
        "taken_up": taken,
        "taken_up_once": once,
        "damaged": swaps // _DAMAGED_EVERY,
        "damaged_refused": refused,
        "damaged_kept_the_old": kept,
        "answers": dict(outcomes),
        "milliseconds_p50": round(milliseconds[len(milliseconds) // 2], 2),
        "milliseconds_p99": round(milliseconds[int(len(milliseconds) * 0.99)], 2),
    }


def memory(root: Path, editions: tuple[Index, Index], swaps: int = 50, warm: int = 20) -> dict[str, Any]:
    """Swap without the collector of cycles: what is replaced must go by itself."""
    save_index(editions[0], root)
    live = Live(Settings(index=root, site=root / "no-site", model="none"))
    live.reload()
    gc.collect()
    gc.disable()
    try:
        held: list[int] = []
        for number in range(1, warm + swaps + 1):
            save_index(editions[number % 2], root)
            live.reload()
            live.lookup.answer(LOG)
            held.append(_memory())
    finally:
        gc.enable()
    return {"swaps": swaps, "memory_kib_before": held[warm - 1], "memory_kib_after": held[-1]}


def everything(swaps: int, encoder: Encoder | None = None) -> dict[str, Any]:
    """Both parts, in folders of their own."""
    encoder = encoder or load_encoder(None)
    editions = edition(0, encoder), edition(1, encoder)
    scratch = Path(tempfile.mkdtemp())
    try:
        figures = {"memory": memory(scratch / "memory", editions), "load": under_load(scratch / "load", editions, swaps)}
    finally:
        shutil.rmtree(scratch)
    return figures


def main() -> None:
    """Print the figures as JSON; status 1 when anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swaps", type=int, default=200)
    figures = everything(parser.parse_args().swaps)
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")
    sys.exit(0 if set(figures["load"]["answers"]) == {"right"} else 1)


if __name__ == "__main__":
    main()
