"""Settings, from the environment (`ERRDEX_…`) only; read when asked for, never at import."""

import os
from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from errdex.catalog import PACKAGE, knowledge_folder

MIB = 1 << 20
_NO_MODEL = "none"


def build_folder() -> Path:
    """`build/` of a checkout, else the user's cache."""
    if not (PACKAGE / "kb").is_dir():
        return PACKAGE.parents[1] / "build"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "errdex"


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


class Settings(BaseSettings):
    """What can be set; each name stands in upper case behind `ERRDEX_`."""

    model_config = SettingsConfigDict(env_prefix="ERRDEX_", frozen=True, env_ignore_empty=True)

    kb: Path = Field(default_factory=knowledge_folder, description="Folder of the knowledge.")
    index: Path = Field(default_factory=lambda: build_folder() / "index", description="Folder of the built index.")
    site: Path = Field(default_factory=lambda: build_folder() / "site", description="Folder of the built site.")
    model: str | None = Field(
        default=None,
        description="A sentence-transformers name or folder to use instead of the bundled encoder; `none` looks up without a "
        "model, by signatures and words.",
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

    hosts: str = Field(default="*", description="Host names that the server answers to, separated by commas; `*` for any.")
    origins: str = Field(default="", description="Origins whose pages may ask the API (CORS), separated by commas; `*` for any.")
    keys: Path | None = Field(default=None, description="File of hashed API keys, written by `errdex keys`.")
    open: bool = Field(default=True, description="Whether lookups and entries need no key.")
    rate: str = Field(default="", description="Requests per key or address, such as `120/minute`; empty: no limit.")
    rate_store: str = Field(
        default="memory://",
        description="Where the counts are: in this process, or `valkey://…` or `redis://…` for several.",
    )

    store: str = Field(
        default="",
        description="Database of unanswered errors and feedback as an SQLAlchemy address; empty: an SQLite file beside the "
        "index; `none`: nothing is stored.",
    )
    retention_days: int = Field(default=180, ge=1, description="After how many days without a sighting a stored row is deleted.")
    log_format: str = Field(default="console", pattern="^(console|json)$", description="`console` or `json`.")
    metrics: bool = Field(default=True, description="Whether `/metrics` is served.")

    @property
    def encoder(self) -> str | None:
        """The model that indexes are made with; None for the bundled one."""
        return None if self.model == _NO_MODEL else self.model

    @property
    def asks_model(self) -> bool:
        """Whether lookups may use the model."""
        return self.model != _NO_MODEL

    @property
    def host_list(self) -> tuple[str, ...]:
        """Host names, one by one."""
        return _listed(self.hosts)

    @property
    def origin_list(self) -> tuple[str, ...]:
        """Origins, one by one."""
        return _listed(self.origins)
