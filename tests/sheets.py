"""Entries, catalogs and words made for tests of the site."""

from functools import cache

from errdex.catalog import PACKAGE, Catalog
from errdex.entry import LANGS, Entry
from errdex.page import parse_page
from errdex.words import Words, read_words

SOURCES = PACKAGE.parents[1] / "site"
PAGE = """# Title of {lang}

Do `this`.

## Meaning {{ #meaning }}

Words.

## Cause {{ #cause }}

## Fix {{ #fix }}

### Cast it

```python
x = x.float()
```

### What not to do

## Verify {{ #verify }}

## See also {{ #see-also }}

Others.
"""


def entry(**changes: object) -> Entry:
    fields: dict[str, object] = {
        "id": "MEM001",
        "status": "active",
        "kind": "error",
        "role": "cause",
        "products": ["torch", "accelerate"],
        "versions": {"torch": ">=1.6,<2.4"},
        "exceptions": ["RuntimeError"],
        "related": [],
        "sources": ["https://example.org/memory"],
        "aliases": {"en": ["OOM"], "zh-CN": ["显存不足"], "zh-TW": ["記憶體不足"]},
        "signature": [{"pattern": r"out of memory\. Tried (?P<n>\d+)"}],
        "repro": {"needs": []},
        "area": "mem",
        "slug": "out-of-memory",
        "pages": {lang: parse_page(PAGE.format(lang=lang)) for lang in LANGS},
        "scripts": {"broken.py": "x = 1\n", "fixed.py": "x = 2\n"},
        "samples": {
            "hit-a.txt": "[rank1]:     raise RuntimeError('out of memory. Tried 1')\n"
            "[rank1]: RuntimeError: out of memory. Tried 1\n",
            "hit-question-en.txt": "why out of memory. Tried 5",
        },
    }
    return Entry.model_validate(fields | changes)


def catalog(*entries: Entry) -> Catalog:
    return Catalog(entries={e.id: e for e in entries}, digest="test")


@cache
def english() -> Words:
    return read_words(SOURCES / "strings.toml").languages["en"]
