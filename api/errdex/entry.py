"""The schema of one entry: what `entry.toml` may say, and the finished entry with its pages."""

from datetime import date
from functools import cached_property
from typing import Annotated, Literal

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from errdex.page import Page

Lang = Literal["en", "zh-CN", "zh-TW"]
LANGS: tuple[Lang, ...] = ("en", "zh-CN", "zh-TW")
AREAS = ("amp", "acc", "mem", "agd", "cud", "dst", "dsp", "hfx", "ckp", "dat", "env", "cmp", "qnt", "frm")


class Strict(BaseModel):
    """Base of everything read from disk: unknown keys are refused, nothing changes afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


def _specifier(text: str) -> str:
    try:
        SpecifierSet(text)
    except InvalidSpecifier as error:
        raise ValueError(f"{text!r} is not a PEP 440 range such as '>=1.6,<2.4'") from error
    return text


VersionRange = Annotated[str, AfterValidator(_specifier)]
# An import name or an exception type: the site has a page of this name for each.
Name = Annotated[str, Field(pattern=r"^[A-Za-z_]\w*$")]


class Signature(Strict):
    """One wording of the error's message, as an RE2 pattern."""

    pattern: str = Field(min_length=8)
    multiline: bool = False
    generic: bool = False
    versions: dict[str, VersionRange] = {}


class Repro(Strict):
    """How the error is shown to be real."""

    needs: list[str] = []
    prints: bool = False
    none: str | None = None

    @model_validator(mode="after")
    def _one_of(self) -> "Repro":
        if self.none is not None and (self.needs or self.prints):
            raise ValueError("`none` says that no program can show it; `needs` and `prints` do not go with it")
        return self


class Run(Strict):
    """The last run of the scripts that did what the entry says."""

    versions: dict[str, str] = {}
    python: str
    device: str
    date: date

    @model_validator(mode="before")
    @classmethod
    def _gather_versions(cls, raw: object) -> object:
        """`entry.toml` keeps library versions beside the other keys; here they are one table."""
        if not isinstance(raw, dict) or "versions" in raw:
            return raw
        known = {"python", "device", "date"}
        return {k: v for k, v in raw.items() if k in known} | {"versions": {k: v for k, v in raw.items() if k not in known}}


class Checked(Strict):
    """What the tool has recorded: the last run, and which English text each translation was read against."""

    run: Run | None = None
    zh_cn: str | None = Field(default=None, alias="zh-CN")
    zh_tw: str | None = Field(default=None, alias="zh-TW")


class Aliases(Strict):
    """What people call the error when they do not paste it."""

    en: list[str] = []
    zh_cn: list[str] = Field(default=[], alias="zh-CN")
    zh_tw: list[str] = Field(default=[], alias="zh-TW")

    def of(self, lang: Lang) -> list[str]:
        """The aliases of one language."""
        return {"en": self.en, "zh-CN": self.zh_cn, "zh-TW": self.zh_tw}[lang]


class EntryFile(Strict):
    """`entry.toml`, key by key, in the order in which the keys must stand."""

    id: str = Field(pattern=r"^[A-Z]{3}\d{3}$")
    status: str = Field(pattern=r"^(active|retired|merged-into:[A-Z]{3}\d{3})$")
    # `errdex check` asks for it: an entry being written may lack it.
    added: date | None = None
    kind: Literal["error", "guide"]
    role: Literal["cause", "wrapper"]
    products: list[Name] = Field(min_length=1)
    versions: dict[str, VersionRange]
    exceptions: list[Name]
    related: list[str]
    sources: list[Annotated[str, Field(pattern=r"^https://\S+$")]] = Field(min_length=1)
    aliases: Aliases = Aliases()
    signature: list[Signature] = []
    repro: Repro
    checked: Checked = Checked()

    @model_validator(mode="after")
    def _signatures_fit_kind(self) -> "EntryFile":
        if self.kind == "error" and not self.signature:
            raise ValueError("an error needs at least one [[signature]]")
        if self.kind == "guide" and self.signature:
            raise ValueError("a guide answers a question and has no [[signature]]")
        return self


class Entry(EntryFile):
    """One entry, whole: its metadata, its three pages, its scripts and its samples."""

    area: str
    slug: str
    pages: dict[Lang, Page]
    scripts: dict[str, str] = {}
    samples: dict[str, str] = {}

    @cached_property
    def generic(self) -> bool:
        """Whether each signature matches only a shape."""
        return bool(self.signature) and all(s.generic for s in self.signature)

    @property
    def path(self) -> str:
        """Where the page stands below each language (`amp/unscale-fp16-gradients`)."""
        return f"{self.area}/{self.slug}"
