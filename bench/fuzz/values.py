"""Wild JSON: what a schema asks for, and what it does not."""

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

Text = Callable[[], str]
"""Makes a text for a field that takes one."""

_WORDS = (
    "",
    " ",
    "en",
    "zh-TW",
    "fr",
    "AMP003",
    "torch",
    "2.13.0",
    "a" * 5000,
    "\x00",
    "\ud800",
    "\u202e",
    "1",
    "null",
    "../../etc/passwd",
    "%2e%2e",
)
_NUMBERS = (0, 1, 3, 10, 11, -1, 2**31, 2**63, 10**40, 1.5, -0.0, 1e308, float("nan"), float("inf"), True, False)


def wild(rng: Random, text: Text, depth: int = 3) -> object:
    """Any JSON value at all."""
    kind = rng.randrange(8 if depth else 5)
    if kind == 0:
        return rng.choice(_WORDS)
    if kind == 1:
        return rng.choice(_NUMBERS)
    if kind == 2:
        return None
    if kind in (3, 4):
        return text()
    if kind == 5:
        return [wild(rng, text, depth - 1) for _ in range(rng.randrange(4))]
    return {_name(rng): wild(rng, text, depth - 1) for _ in range(rng.randrange(4))}


def _name(rng: Random) -> str:
    return rng.choice(
        ("traceback", "lang", "limit", "environment", "items", "__proto__", "", "\ud800", "a" * 300, "$ref", *_WORDS)
    )


def fitting(rng: Random, schema: Mapping[str, Any], definitions: Mapping[str, Any], text: Text) -> object:
    """A value that follows a schema for the most part, and leaves it now and then."""
    if rng.random() < 0.06:
        return wild(rng, text)
    if "$ref" in schema:
        return fitting(rng, definitions[schema["$ref"].rsplit("/", 1)[-1]], definitions, text)
    if choices := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        return fitting(rng, rng.choice(choices), definitions, text)
    if "enum" in schema:
        return rng.choice(schema["enum"])
    match schema.get("type"):
        case "object":
            return _object(rng, schema, definitions, text)
        case "array":
            count = rng.choice((0, 1, 1, 2, 3, 101 if rng.random() < 0.02 else 4))
            return [fitting(rng, schema.get("items", {}), definitions, text) for _ in range(count)]
        case "integer" | "number":
            return rng.choice((schema.get("minimum", 0), schema.get("maximum", 9), 1, 2, 3, rng.choice(_NUMBERS)))
        case "boolean":
            return rng.random() < 0.5
        case "null":
            return None
        case _:
            return text() if rng.random() < 0.8 else rng.choice(_WORDS)


def _object(rng: Random, schema: Mapping[str, Any], definitions: Mapping[str, Any], text: Text) -> dict[str, object]:
    required = schema.get("required", ())
    found: dict[str, object] = {}
    for name, inner in schema.get("properties", {}).items():
        if rng.random() < (0.95 if name in required else 0.3):
            short = name in ("lang", "limit", "environment")
            found[name] = fitting(
                rng, inner, definitions, (lambda: rng.choice(("en", "zh-CN", "zh-TW", "zh"))) if short else text
            )
    if isinstance(inner := schema.get("additionalProperties"), Mapping):
        for _ in range(rng.randrange(3)):
            found[rng.choice(("torch", "cuda", "numpy", _name(rng)))] = rng.choice(("2.13.0", "1.0+cu121", text()[:60]))
    if rng.random() < 0.05:
        found[_name(rng) if rng.random() < 0.5 else text()[:200]] = wild(rng, text)
    return found


def written(rng: Random, value: object) -> bytes:
    """The value as JSON, torn now and then."""
    body = json.dumps(value, ensure_ascii=rng.random() < 0.5).encode(errors="surrogatepass")
    chance = rng.random()
    if chance > 0.06:
        return body
    if chance > 0.05:
        return b"\xef\xbb\xbf" + body
    if chance > 0.04:
        return body[: rng.randrange(len(body) + 1)]
    if chance > 0.03:
        at = rng.randrange(len(body) + 1)
        return body[:at] + rng.randbytes(3) + body[at + 1 :]
    if chance > 0.02:
        opening = rng.choice((b"[", b'{"a":', b'{"traceback":', b'{"items":[')) * rng.choice((20, 40, 600, 20_000))
        return opening + body
    if chance > 0.01:
        return b'{"traceback": "a", ' + body.lstrip(b"{")
    return body.decode(errors="replace").encode(rng.choice(("utf-16", "utf-32", "latin-1")), errors="replace")
