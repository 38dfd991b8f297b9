"""A small knowledge folder that breaks no rule, for tests that break one."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from errdex.checks import stamp_translations

ENTRY_TOML = """\
id         = "AMP001"
status     = "active"
added      = 2026-11-30
kind       = "error"
role       = "cause"
products   = ["torch"]
versions   = {}
exceptions = ["ValueError"]
related    = []
sources    = ["https://example.org/docs"]

[[signature]]
pattern = 'the lever is stuck at \\d+'

[repro]
needs = []
"""
ENGLISH = """\
# ValueError: the lever is stuck at 3

Oil the lever; see [the manual](https://example.org/manual).

## Meaning { #meaning }

The lever does not move.

## Cause { #cause }

It is dry.

## Fix { #fix }

### Oil it

```python
lever.oil()  # once
```

### Replace it

It costs a lever.

## Verify { #verify }

It moves.

## See also { #see-also }

Nothing.
"""
MAINLAND = """\
# ValueError: the lever is stuck at 3（操纵杆卡住）

给操纵杆上油；参见 [手册](https://example.org/manual)。

## 含义 { #meaning }

操纵杆不动，`lever.move()` 没有作用。

## 原因 { #cause }

太干了。

## 解决办法 { #fix }

### 上油

```python
lever.oil()  # once
```

### 更换

要用 1 个新的。

## 验证 { #verify }

能动了。

## 另见 { #see-also }

无。
"""
TAIWAN = """\
# ValueError: the lever is stuck at 3（操縱桿卡住）

給操縱桿上油；參見 [手冊](https://example.org/manual)。

## 意義 { #meaning }

操縱桿不動，`lever.move()` 沒有作用。

## 原因 { #cause }

太乾了。

## 解決方式 { #fix }

### 上油

```python
lever.oil()  # once
```

### 更換

要用 1 個新的。

## 驗證 { #verify }

能動了。

## 另見 { #see-also }

無。
"""
GLOSSARY = """\
[[term]]
en = "memory"
zh-CN = "内存"
zh-TW = "記憶體"
not-zh-TW = ["內存"]
not-zh-CN = ["记忆体"]
"""
FILES = {
    "entry.toml": ENTRY_TOML,
    "en.md": ENGLISH,
    "zh-CN.md": MAINLAND,
    "zh-TW.md": TAIWAN,
    "broken.py": 'raise ValueError("the lever is stuck at 3")\n',
    "fixed.py": 'print("moved")\n',
    "samples/hit-plain.txt": "ValueError: the lever is stuck at 3\n",
    "samples/hit-rank.txt": "[rank0]: ValueError: the lever is stuck at 7\n",
    "samples/hit-question-en.txt": "my lever does not move\n",
    "samples/hit-question-zh-CN.txt": "操纵杆不动\n",
    "samples/hit-question-zh-TW.txt": "操縱桿不動\n",
    "samples/miss-knob.txt": "ValueError: the knob is stuck at 3\n",
}


def plant(kb: Path, changed: Mapping[str, str | None] | None = None, slug: str = "lever-is-stuck") -> Path:
    """Write an entry below `kb` and stamp it; returns its folder.

    Args:
        kb: the knowledge folder.
        changed: files that differ from the clean entry; None leaves the file out.
        slug: the entry's folder name.
    """
    folder = kb / "entries" / "amp" / slug
    for name, text in (FILES | dict(changed or {})).items():
        if text is not None:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    (kb / "glossary.toml").write_text(GLOSSARY, encoding="utf-8")
    with suppress(OSError, ValueError):  # what is missing or broken on purpose stays so
        stamp_translations(folder)
    return folder
