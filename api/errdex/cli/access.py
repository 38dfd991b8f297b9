"""`errdex keys`: API keys made, listed and revoked."""

import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.table import Table

from errdex.cli.terminal import errors_console
from errdex.errors import InputError, KeysError
from errdex.keys import Key, Role, changing_keys, new_secret, read_keys, utc_today
from errdex.settings import Settings

keys = typer.Typer(help="API keys: make one, list them, revoke one. ERRDEX_KEYS names their file.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="What the key is called: letters, digits, `.`, `_` and `-`.")]


def _file() -> Path:
    path = Settings().keys
    if path is None:
        raise KeysError("Set ERRDEX_KEYS to the file that holds them, here and for the server.")
    return path


@keys.command()
def add(
    name: Name,
    role: Annotated[Role, typer.Option(help="read: look up; curate: also what could not be answered; admin: all.")] = Role.READ,
    expires: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The last day on which it works (UTC).")] = None,
    rate: Annotated[str | None, typer.Option(help="Its own rate, such as 600/minute.")] = None,
) -> None:
    """Make a key and print it, this once; the file holds its hash only."""
    path, secret = _file(), new_secret()
    try:
        key = Key.of(name, secret, role, expires.date() if expires else None, rate)
    except ValidationError as error:
        field = str(error.errors()[0]["loc"][0])
        raise InputError(f"The {field} is not of the form that `errdex keys add --help` shows.", field=field) from None
    with changing_keys(path) as known:
        if any(other.name == name for other in known):
            raise InputError(f"There is a key named {name} already; revoke it first, or choose another name.", field="name")
        known.append(key)
    errors_console().print(f"key {name} ({role}) written to {path}; it is shown only now:", highlight=False, soft_wrap=True)
    sys.stdout.write(f"{secret}\n")


@keys.command(name="list")
def list_keys() -> None:
    """List the keys: everything but the keys themselves."""
    today = utc_today()
    table = Table("name", "role", "created", "expires", "rate")
    for key in read_keys(_file()):
        expired = key.expires is not None and key.expires < today
        table.add_row(key.name, key.role, str(key.created), f"{key.expires or '-'}{' (expired)' * expired}", key.rate or "-")
    Console().print(table)


@keys.command()
def revoke(name: Name) -> None:
    """Delete a key; a running server refuses it within seconds."""
    with changing_keys(_file()) as known:
        if all(key.name != name for key in known):
            raise InputError(f"There is no key named {name}; `errdex keys list` shows those there are.", field="name")
        known[:] = [key for key in known if key.name != name]
    errors_console().print(f"key {name} revoked", highlight=False)
