"""What an index is, what it was made from, and what its files are: the record that everything else is checked against."""

import hashlib
import re
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

FORMAT = 3  # raise it when an index written by an older program must not be used
MANIFEST_FILE = "manifest.json"
MAX_BYTES = 4 << 30  # of all files of an index together: two million passages
_VERSION = re.compile(r"v-[0-9a-f]{64}", re.ASCII)


class FileRecord(BaseModel):
    """Size and SHA-256 of one file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    size: Annotated[int, Field(ge=0, le=MAX_BYTES)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]

    @classmethod
    def of(cls, data: bytes) -> "FileRecord":
        """The record of these bytes."""
        return cls(size=len(data), sha256=hashlib.sha256(data).hexdigest())


class Manifest(BaseModel):
    """What an index is and what it was made from.

    Attributes:
        build: a random word, so that no two builds have the same name, and none is written over.
        files: every file but this one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: int
    content: str
    encoder: str
    dimension: Annotated[int, Field(ge=1, le=1 << 16)]
    entries: Annotated[int, Field(ge=1)]
    build: str = ""
    files: dict[str, FileRecord] = {}

    def fits(self, digest: str, encoder: str) -> bool:
        """Whether the index is of this knowledge, this encoder and this program."""
        return self.format == FORMAT and self.content == content_of(digest, encoder)


def content_of(digest: str, encoder: str) -> str:
    """Identity of the index that this knowledge and this encoder make."""
    return hashlib.sha256(f"{FORMAT}\n{digest}\n{encoder}".encode()).hexdigest()


def version_name(manifest: bytes) -> str:
    """Name of the folder whose manifest holds these bytes: who changes the manifest changes the name."""
    return f"v-{hashlib.sha256(manifest).hexdigest()}"


def is_version_name(name: str) -> bool:
    """Whether a folder of a version can have this name; no path can."""
    return _VERSION.fullmatch(name) is not None
