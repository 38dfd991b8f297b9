"""The reference of all settings, out of the model that reads them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from errdex.errors import SettingsError
from errdex.settings import Settings

PREFIX = "ERRDEX_"
_HEAD = """# Configuration

Everything is set by environment variables, read when a command starts; an empty one counts as not set. `errdex settings` prints
this table, and warns of a variable that no setting has. A setting that cannot be read stops the command with its name.

This page is the output of `errdex settings --markdown`.

"""


@dataclass(frozen=True)
class Setting:
    """One row of the reference.

    Attributes:
        variable: its environment variable.
        default: what holds without it, in words or as it would be written.
        meaning: one sentence.
    """

    variable: str
    default: str
    meaning: str


def reference() -> list[Setting]:
    """All settings, in the order of the model."""
    rows = []
    for name, field in Settings.model_fields.items():
        extra = field.json_schema_extra
        words = extra.get("in_words") if isinstance(extra, dict) else None
        rows.append(Setting(f"{PREFIX}{name.upper()}", str(words or _written(field.default)), field.description or ""))
    return rows


def _written(default: object) -> str:
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f"`{default}`" if default not in ("", None) else "empty"


def as_markdown() -> str:
    """The page `docs/configuration.md`."""
    rows = "\n".join(f"| `{row.variable}` | {row.default} | {row.meaning} |" for row in reference())
    return f"{_HEAD}| variable | default | meaning |\n| --- | --- | --- |\n{rows}\n"


def unknown(environment: Mapping[str, str]) -> Iterable[str]:
    """Variables that look like settings and are none, most likely misspelt."""
    known = {row.variable for row in reference()}
    return sorted(name for name in environment if name.upper().startswith(PREFIX) and name.upper() not in known)


def unreadable(error: ValidationError) -> SettingsError:
    """What is wrong with the environment, by variable; a value may be a secret and is not repeated."""
    lines = (f"{PREFIX}{'.'.join(map(str, each['loc'])).upper()}: {each['msg']}." for each in error.errors(include_input=False))
    return SettingsError(" ".join(lines))
