"""Settings, from the environment (`ERRDEX_…`) only; read when asked for, never at import."""

import os
from pathlib import Path

from pydantic import Field, JsonValue
from pydantic_settings import BaseSettings, SettingsConfigDict

from errdex.catalog import PACKAGE, knowledge_folder

MIB = 1 << 20
_NO_MODEL = "none"
_NO_STORE = "none"
RATE_PATTERN = r"^[1-9][0-9]{0,8}/(second|minute|hour|day)$"
_STORE_PATTERN = r"^(memory://|(valkey|redis)s?://[^/]*:[0-9]+(/.*)?|(valkey|redis)\+unix:///.+)$"


def build_folder() -> Path:
    """`build/` of a checkout, else the user's cache."""
    if not (PACKAGE / "kb").is_dir():
        return PACKAGE.parents[1] / "build"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "errdex"


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _words(default: str) -> dict[str, JsonValue]:
    """What a reference says of a default that depends on the machine."""
    return {"in_words": default}


class Settings(BaseSettings):
    """What can be set; each name stands in upper case behind `ERRDEX_`."""

    model_config = SettingsConfigDict(env_prefix="ERRDEX_", frozen=True, env_ignore_empty=True)

    kb: Path = Field(
        default_factory=knowledge_folder,
        description="Folder of the knowledge.",
        json_schema_extra=_words("`kb/` of the checkout, else the one in the package"),
    )
    index: Path = Field(
        default_factory=lambda: build_folder() / "index",
        description="Folder of the built index.",
        json_schema_extra=_words("`build/index` of the checkout, else `errdex/index` in the user's cache"),
    )
    site: Path = Field(
        default_factory=lambda: build_folder() / "site",
        description="Folder of the built site; without it the API is served alone.",
        json_schema_extra=_words("`build/site` of the checkout, else `errdex/site` in the user's cache"),
    )
    model: str | None = Field(
        default=None,
        description="A sentence-transformers name or folder to use instead of the bundled encoder; needs "
        "`pip install 'errdex[models]'`. `none` looks up without a model, by signatures and words.",
        json_schema_extra=_words("the bundled encoder"),
    )

    base_url: str = Field(default="http://127.0.0.1:8000", description="Where the site is served; used in links.")
    api_url: str = Field(
        default="",
        description="Server that the built site offers to ask, by its origin; empty: the site looks up in the browser alone.",
    )
    contribute_url: str = Field(
        default="",
        description="Form for a new entry; `{title}` and `{body}` are filled in. Empty: no link.",
    )

    max_body: int = Field(default=MIB, ge=1024, description="Largest request body in bytes.")
    header_seconds: float = Field(default=5, gt=0, description="How long the headers of a request may take to arrive.")
    body_seconds: float = Field(default=15, gt=0, description="How long the body of a request may take to arrive.")
    write_seconds: float = Field(default=10, gt=0, description="How long a client may take to read the next 64 KiB of an answer.")
    drain_seconds: float = Field(default=10, ge=0, description="How long a server that was told to stop serves what it accepted.")
    answer_seconds: float = Field(
        default=1,
        gt=0,
        description="How long a lookup may take; after that the answer is that of signatures and words, marked `degraded`.",
    )
    concurrency: int = Field(default=64, ge=1, description="Requests at work at once; more get 503 and `Retry-After`.")
    connections: int = Field(default=1000, ge=1, description="Clients connected at once; more get 503 and are hung up on.")

    hosts: str = Field(default="*", description="Host names that the server answers to, separated by commas; `*` for any.")
    origins: str = Field(default="", description="Origins whose pages may ask the API (CORS), separated by commas; `*` for any.")
    keys: Path | None = Field(
        default=None,
        description="File of hashed API keys, written by `errdex keys`; without it nobody has a key.",
    )
    open: bool = Field(default=True, description="Whether lookups and entries need no key.")
    rate: str = Field(
        default="",
        pattern=rf"^$|{RATE_PATTERN}",
        description="Requests per key or address and `second`, `minute`, `hour` or `day`, such as `120/minute`; empty: no limit.",
    )
    rate_store: str = Field(
        default="memory://",
        pattern=_STORE_PATTERN,
        description="Where the counts are: in this process, or for several at `valkey://host:port` or `redis://host:port`.",
    )
    proxies: str = Field(
        default="127.0.0.1",
        description="Addresses and networks of the proxies whose `X-Forwarded-For` is believed, separated by commas; `none` for "
        "no proxy.",
    )

    store: str = Field(
        default="",
        description="Database of unanswered errors and feedback as an SQLAlchemy address; empty: an SQLite file beside the "
        "index; `none`: nothing is stored.",
    )
    retention_days: int = Field(
        default=180, ge=1, le=36_500, description="After how many days without a sighting a stored row is deleted."
    )
    log_format: str = Field(
        default="auto",
        pattern="^(auto|console|json)$",
        description="`console`, `json`, or `auto`: `console` on a terminal, else `json`.",
    )
    metrics: bool = Field(default=True, description="Whether `/metrics` is served, for Prometheus.")

    @property
    def encoder(self) -> str | None:
        """The model that indexes are made with; None for the bundled one."""
        return None if self.model == _NO_MODEL else self.model

    @property
    def asks_model(self) -> bool:
        """Whether lookups may use the model."""
        return self.model != _NO_MODEL

    @property
    def stores(self) -> bool:
        """Whether unanswered errors and feedback are stored."""
        return self.store != _NO_STORE

    @property
    def host_list(self) -> tuple[str, ...]:
        """Host names, one by one."""
        return _listed(self.hosts)

    @property
    def origin_list(self) -> tuple[str, ...]:
        """Origins, one by one."""
        return _listed(self.origins)
