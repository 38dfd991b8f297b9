"""API keys: made, hashed, kept in a file that only its owner reads, and found again in constant time."""

import contextlib
import hashlib
import hmac
import os
import secrets
import string
import tempfile
import tomllib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from errdex.errors import KeysError, UnknownKeyError
from errdex.folders import alone, sync
from errdex.settings import RATE_PATTERN

PREFIX = "edx_"
_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
_RANDOM = 27  # base62 characters: 160 bits
_CHECK = 6  # base62 characters: a CRC-32
_LENGTH = len(PREFIX) + _RANDOM + _CHECK
_HEADER = "# Written by `errdex keys`. It holds hashes only: a key that is lost cannot be read here, make a new one.\n"


class Role(StrEnum):
    """What a key is for; each role includes those before it."""

    READ = "read"
    CURATE = "curate"
    ADMIN = "admin"

    @cached_property
    def height(self) -> int:
        """Place among the roles."""
        return list(Role).index(self)

    def allows(self, needed: "Role") -> bool:
        """Whether a key of this role may do what needs the other."""
        return self.height >= needed.height


class Key(BaseModel):
    """One key as the file holds it; the key itself stands nowhere.

    The hash is a plain SHA-256: a key has 160 random bits, so there is nothing to guess that a slow hash would protect.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", description="Shown in lists and logs.")
    role: Role
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    created: date
    expires: date | None = Field(default=None, description="The last day on which it works, in UTC.")
    rate: Annotated[str, Field(pattern=RATE_PATTERN)] | None = Field(default=None, description="Instead of the server's rate.")

    @classmethod
    def of(cls, name: str, secret: str, role: Role = Role.READ, expires: date | None = None, rate: str | None = None) -> "Key":
        """The row of a new key.

        Raises:
            ValidationError: the name or the rate is not of its form.
        """
        return cls(name=name, role=role, sha256=hashed(secret).hex(), created=utc_today(), expires=expires, rate=rate)

    @cached_property
    def digest(self) -> bytes:
        """The hash, ready to be compared."""
        return bytes.fromhex(self.sha256)

    @cached_property
    def client(self) -> str:
        """Under which name its requests are counted; no address looks like it."""
        return f"key:{self.name}"


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    key: list[Key] = []


def _base62(number: int, width: int) -> str:
    digits = []
    for _ in range(width):
        number, digit = divmod(number, len(_ALPHABET))
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))


def _check(body: str) -> str:
    return _base62(zlib.crc32(body.encode()), _CHECK)


def with_check(body: str) -> str:
    """A key's body with its checksum, by which a typo is told from a key that is not known."""
    return body + _check(body)


def new_secret() -> str:
    """A new key, to be shown once."""
    return with_check(PREFIX + "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM)))


def is_whole(secret: str) -> bool:
    """Whether a key's form and checksum are right, known or not."""
    return len(secret) == _LENGTH and secret.isascii() and secret.startswith(PREFIX) and secret.endswith(_check(secret[:-_CHECK]))


def hashed(secret: str) -> bytes:
    """What is kept of a key."""
    return hashlib.sha256(secret.encode()).digest()


class KeyRing:
    """The keys of a server."""

    def __init__(self, keys: Iterable[Key]) -> None:
        self._keys = tuple(keys)

    def __len__(self) -> int:
        return len(self._keys)

    def find(self, secret: str, today: date) -> Key:
        """The key that a caller showed.

        Every key is compared, and each in constant time, so that the time taken tells nothing about the keys.

        Raises:
            UnknownKeyError: it has a typo, is not among the keys, or has expired.
        """
        if not is_whole(secret):
            raise UnknownKeyError("This is no key of errdex: a character is missing or mistyped. Copy it again, whole.")
        digest, found = hashed(secret), None
        for key in self._keys:
            if hmac.compare_digest(key.digest, digest):
                found = key
        if found is None:
            raise UnknownKeyError("This key is not known here, or no longer. Ask the operator for another.")
        if found.expires is not None and found.expires < today:
            raise UnknownKeyError(f"This key expired on {found.expires}. Ask the operator for another.")
        return found


def read_keys(path: Path) -> tuple[Key, ...]:
    """The keys in a file; none if there is no file.

    Raises:
        KeysError: it cannot be read, or holds something else.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        keys = _File.model_validate(data).key
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise KeysError(f"{path} cannot be read: {error.strerror}.") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise KeysError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}.") from None
    except ValueError:
        raise KeysError(f"{path} is not a file of keys; bring back a copy, or delete it and make new keys.") from None
    for kind, values in (("name", [key.name for key in keys]), ("hash", [key.sha256 for key in keys])):
        if len(set(values)) < len(values):
            raise KeysError(f"{path} holds the same {kind} twice.")
    return tuple(keys)


def write_keys(path: Path, keys: Sequence[Key]) -> None:
    """Replace the file whole; a reader sees the old keys or the new ones, and only its owner may read it.

    Written by root it belongs to whom the old file, else the folder, belongs to: the server that reads it is not root.

    Raises:
        KeysError: the folder cannot be written to.
    """
    import tomlkit

    rows = [key.model_dump(exclude_none=True) | {"role": key.role.value} for key in keys]
    text = _HEADER + tomlkit.dumps({"key": rows})
    path = path.resolve()  # what a link points to is replaced, not the link
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # mkstemp makes it 0600 from the start.
        descriptor, aside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                if os.name != "nt" and os.geteuid() == 0:
                    owner = (path if path.exists() else path.parent).stat()
                    os.fchown(descriptor, owner.st_uid, owner.st_gid)
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(aside).replace(path)
        except BaseException:
            Path(aside).unlink(missing_ok=True)
            raise
        sync(path.parent)
    except OSError as error:
        raise KeysError(f"{path} cannot be written: {error.strerror}.") from None


@contextlib.contextmanager
def changing_keys(path: Path) -> Iterator[list[Key]]:
    """The keys in a file, to be changed in place; written at the end, unless the block raises. Two at once take turns.

    Raises:
        KeysError: the file cannot be read or written, or somebody else does not end.
    """
    path = path.resolve()  # under whatever name it is changed, its lock is the same
    with contextlib.ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            stack.enter_context(alone(path.with_name(f".{path.name}.lock")))
        except OSError as error:
            raise KeysError(f"{path} cannot be written: {error.strerror}.") from None
        keys = list(read_keys(path))
        yield keys
        write_keys(path, keys)


def utc_today() -> date:
    """Today, as keys count their days."""
    return datetime.now(UTC).date()
