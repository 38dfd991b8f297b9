"""The lookup as a browser runs it, without a server: everything that it needs to know, as JSON.

Patterns, word lists, thresholds and weights are taken from the modules that use them here, under their own names, so that
each exists once. The JavaScript beside `site/lookup/` mirrors those modules.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from errdex import (
    asked,
    features,
    language,
    lexical,
    lines,
    lookup,
    normalize,
    ranking,
    redact,
    report,
    salience,
    signatures,
    tracebacks,
)
from errdex.catalog import Catalog
from errdex.dialects import javascript
from errdex.entry import LANGS, Entry, Lang
from errdex.errors import SiteError
from errdex.index import body_text, head_text
from errdex.language import simplified_characters
from errdex.needles import needles
from errdex.ranking import load_coefficients
from errdex.rule import Rule

_MODULES = (
    asked, features, language, lexical, lines, lookup, normalize, ranking, redact, report, salience, signatures, tracebacks,
)  # fmt: skip
_CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")
_FLAGS = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s"}


def exported(value: object) -> object:
    """A constant as JSON; a pattern becomes its source and its flags."""
    match value:
        case Rule():
            return _rule(value)
        case re.Pattern():
            source, _ = javascript(value.pattern, "python")
            return {"pattern": source, "flags": "".join(letter for flag, letter in _FLAGS.items() if value.flags & flag)}
        case bool() | int() | float() | str():
            return value
        case Mapping():
            return {str(key): exported(item) for key, item in value.items()}
        case frozenset():
            return sorted(map(str, value))
        case tuple() | list():
            return [exported(item) for item in value]
        case _:
            raise TypeError


def _rule(rule: Rule) -> dict[str, object]:
    """A rule of the redaction."""
    shape = {"pattern": javascript(rule.pattern, "python")[0], "flags": rule.flags}
    return {"shape": shape, "replacement": rule.replacement, "check": rule.check, "needle": rule.needle}


def constants_of(module: ModuleType) -> dict[str, object]:
    """Constants of a module that JSON can hold, without the underscore before their names."""
    found: dict[str, object] = {}
    for name, value in vars(module).items():
        if _CONSTANT.fullmatch(name):
            try:
                found[name.lstrip("_")] = exported(value)
            except TypeError:
                continue  # a path, a class, a type: nothing that a pattern or a threshold is made of
    return found


def _statistics(documents: Iterable[str]) -> dict[str, object]:
    """For each token the documents it stands in, each with its count; and the length of each document, in tokens."""
    tokenized = [lexical.tokenize(document) for document in documents]
    postings: dict[str, list[int]] = {}
    for number, tokens in enumerate(tokenized):
        for token, count in Counter(tokens).items():
            postings.setdefault(token, []).extend((number, count))
    return {"lengths": [len(tokens) for tokens in tokenized], "postings": postings}


def _entry(entry: Entry) -> dict[str, object]:
    return {
        "id": entry.id,
        "path": entry.path,
        "kind": entry.kind,
        "role": entry.role,
        "exceptions": entry.exceptions,
        "products": entry.products,
        "versions": entry.versions,
    }


def _signatures(entries: Sequence[Entry]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for position, entry in enumerate(entries):
        for signature in entry.signature:
            source, flags = javascript(signature.pattern, "re2")
            found.append(
                {
                    "entry": position,
                    "pattern": source,
                    "flags": "".join(sorted({*flags, "m"})),
                    "generic": signature.generic,
                    "multiline": signature.multiline,
                    "needles": needles(signature.pattern),
                },
            )
    return found


def knowledge(catalog: Catalog) -> dict[str, object]:
    """What the browser's lookup knows, whatever the language of the page."""
    entries = catalog.active
    return {
        "constants": {module.__name__.rpartition(".")[2]: constants_of(module) for module in _MODULES},
        "coefficients": load_coefficients(model=False).model_dump(),
        "simplified": "".join(a + b for a, b in simplified_characters().items()),
        "entries": [_entry(entry) for entry in entries],
        "signatures": _signatures(entries),
        "head": _statistics(map(head_text, entries)),
        "body": _statistics(map(body_text, entries)),
    }


def texts(catalog: Catalog, lang: Lang) -> list[dict[str, str]]:
    """What is shown of each active entry in one language, in the order of `knowledge`."""
    shown = []
    for entry in catalog.active:
        page = entry.pages[lang]
        first = page.fixes[0].title if page.fixes else ""
        shown.append({"title": page.title, "summary": page.summary, "fix": first})
    return shown


class BrowserLookup(NamedTuple):
    """The browser's lookup as files.

    Attributes:
        folder: where they belong, from the site's root on; named by their content, so that a page that is open while the site
            is built again never mixes scripts and knowledge of two builds.
        files: name to content.
    """

    folder: str
    files: dict[str, bytes]


def browser_lookup(catalog: Catalog, scripts: Path) -> BrowserLookup:
    """The scripts, and what they know.

    Args:
        catalog: the entries.
        scripts: the folder `site/lookup/` of the checkout.

    Raises:
        SiteError: there are no scripts.
    """
    files = {path.name: path.read_bytes() for path in sorted(scripts.glob("*.js"))}
    if not files:
        raise SiteError(f"{scripts} holds no scripts")

    def as_json(value: object) -> bytes:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()

    files["knowledge.json"] = as_json(knowledge(catalog))
    files |= {f"texts.{lang}.json": as_json(texts(catalog, lang)) for lang in LANGS}
    digest = hashlib.sha256(b"".join(files[name] for name in sorted(files))).hexdigest()[:16]
    return BrowserLookup(f"in-browser/{digest}", files)
