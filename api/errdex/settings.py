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
    max_body: int = Field(default=MIB, ge=1024, description="Largest request body in bytes.")
    base_url: str = Field(default="http://127.0.0.1:8000", description="Where the site is served; used in links.")
    api_url: str = Field(
        default="",
        description="Server that the built site offers to ask, by its origin; empty: the site looks up in the browser alone.",
    )
    contribute_url: str = Field(
        default="",
        description="Form for a new entry; `{title}` and `{body}` are filled in. Empty: no link.",
    )

    @property
    def encoder(self) -> str | None:
        """The model that indexes are made with; None for the bundled one."""
        return None if self.model == _NO_MODEL else self.model

    @property
    def asks_model(self) -> bool:
        """Whether lookups may use the model."""
        return self.model != _NO_MODEL
