"""What clients ask in a load: mostly known errors, some questions, some long logs, and every other route."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Literal
from urllib.parse import quote

Kind = Literal["signature", "question", "long", "other"]
SHARES: dict[Kind, float] = {"signature": 0.80, "question": 0.10, "long": 0.05, "other": 0.05}
BENCH = Path(__file__).resolve().parents[1]
_LONG = 300_000  # bytes
_STEP = "step {n} loss: 2.3{n} lr 1e-4 grad_norm 0.31 tokens/s 18{n}20 mem 71.2GiB\n"


@dataclass(frozen=True)
class Ask:
    """One request as it goes over the wire, and the statuses that are right for it."""

    kind: Kind
    wire: bytes
    right: frozenset[int]


def _wire(method: str, path: str, body: bytes = b"", content_type: str = "text/plain") -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n"
    if body or method == "POST":
        head += f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"\r\n" + body


def _lookup(kind: Kind, text: str) -> Ask:
    body = json.dumps({"traceback": text}).encode()
    return Ask(kind, _wire("POST", "/lookup", body, "application/json"), frozenset({200}))


def _signatures() -> list[Ask]:
    samples = sorted((BENCH.parent / "kb" / "entries").glob("*/*/samples/*"))
    return [_lookup("signature", path.read_text(encoding="utf-8")) for path in samples]


def _questions() -> list[Ask]:
    with (BENCH / "rows.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [_lookup("question", row["text"]) for row in rows if row["kind"] == "question"]


def _long_logs(signatures: Sequence[Ask]) -> list[Ask]:
    steps = "".join(_STEP.format(n=n % 10) for n in range(2 * _LONG // len(_STEP)))
    texts = [json.loads(ask.wire.partition(b"\r\n\r\n")[2])["traceback"] for ask in signatures[:20]]
    return [_lookup("long", f"{steps[: _LONG - len(text)]}\n{text}\n") for text in texts]


_KEPT = ("/unanswered", "/feedback")  # what is stored is shown to those who have a key
_CURATED = frozenset({403})


def _others(described: Mapping[str, Any]) -> list[Ask]:
    """Every route that is read, and requests that are wrong."""
    found = [
        Ask(
            "other",
            _wire("GET", path.replace("{entry_id}", "AMP003")),
            _CURATED if path.startswith(_KEPT) else frozenset({200, 307}),
        )
        for path, operations in described["paths"].items()
        if "get" in operations
        and "{" not in path.replace("{entry_id}", "")
        and not _needs_query(operations["get"])
        and (_open(operations["get"]) or path.startswith(_KEPT))
    ]
    return [
        *found,
        Ask("other", _wire("GET", "/search?q=" + quote("显存不足 fp16 nan")), frozenset({200})),
        Ask("other", _wire("GET", "/entries/XYZ999"), frozenset({404})),
        Ask("other", _wire("GET", "/search"), frozenset({422})),
        Ask("other", _wire("GET", "/lookup"), frozenset({405})),
        Ask("other", _wire("POST", "/lookup"), frozenset({422})),
        Ask("other", _wire("POST", "/lookup", b'{"traceback": ', "application/json"), frozenset({400})),
        Ask("other", _wire("POST", "/lookup", b"x", "image/png"), frozenset({415})),
        Ask("other", _wire("POST", "/lookup", b"\x00\x01" * 900), frozenset({422})),
        Ask("other", _wire("POST", "/lookup", b"x" * (1 << 20) + b"y"), frozenset({413})),
    ]


def _needs_query(operation: Mapping[str, Any]) -> bool:
    return any(parameter["in"] == "query" and parameter.get("required") for parameter in operation.get("parameters", ()))


def _open(operation: Mapping[str, Any]) -> bool:
    """Whether it answers without a key: it takes none, or one that may be left out."""
    security = operation.get("security", [{}])
    return {} in security


def asks(described: Mapping[str, Any]) -> dict[Kind, list[Ask]]:
    """Every request there is, by kind.

    Args:
        described: the application's OpenAPI document.
    """
    signatures = _signatures()
    return {"signature": signatures, "question": _questions(), "long": _long_logs(signatures), "other": _others(described)}


def mixed(found: Mapping[Kind, Sequence[Ask]], seed: int, count: int, shares: Mapping[Kind, float] | None = None) -> list[Ask]:
    """A number of requests in the shares of the mix, drawn by a seed."""
    rng = Random(seed)
    kinds = rng.choices(list(shares or SHARES), list((shares or SHARES).values()), k=count)
    return [rng.choice(found[kind]) for kind in kinds]
